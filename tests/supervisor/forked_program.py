"""`python -m tests.supervisor.forked_program WORD`: says what it finds, then waits to be ended."""

import json
import os
import sys
import time

from tests.supervisor import loaded

if __name__ == "__main__":
    found = {
        "loaded_by": loaded.BY,
        "pid": os.getpid(),
        "parent": os.getppid(),
        "session": os.getsid(0),
        "arguments": sys.argv[1:],
        "variable": os.environ.get("OF_THE_TEST"),
        "folder": os.getcwd(),
        "input": sys.stdin.read(),
    }
    print(json.dumps(found), flush=True)  # noqa: T201 - what a program says
    time.sleep(600)
