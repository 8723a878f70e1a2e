"""Executes messages: acquires claims, runs steps, stores results, and continues with what follows.

`executor.py` is the entry point, called by the tasks through `step_tasks.py`.
"""
