"""The child process that reads files of strangers, its limits, and its replies.

`isolated.py` is the entry; `fork_server.py` is the program that forks the process, `child.py` what the process does.
"""
