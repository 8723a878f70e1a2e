"""One message executed: its steps claimed, run, recorded and followed by the next.

`executor.py` is the entry; the tasks come to it by way of `step_tasks.py`.
"""
