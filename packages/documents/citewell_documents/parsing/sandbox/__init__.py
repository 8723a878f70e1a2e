"""The child process that reads untrusted files, its limits, and its replies.

`isolated.py` is the entry; `fork_server.py` is the program that forks the process, and the process runs `child.py`.
"""
