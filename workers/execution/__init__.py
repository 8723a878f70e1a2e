"""Executes messages: acquires claims, runs steps, stores results, and continues with what follows.

`executor.py` makes the tasks, and is the entry point of their messages.
"""
