"""The child process that reads files of strangers, its limits, and its replies.

`isolated.py` is the entry; `child.py` is the program that the process runs.
"""
