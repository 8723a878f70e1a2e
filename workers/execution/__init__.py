"""Executes messages: acquires claims, runs steps, stores results, and continues with the following work.

`executor.py` makes the tasks, and is the entry point of their messages.
"""
