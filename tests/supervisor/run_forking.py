"""A fleet with a fork server and its fork, to be killed; prints the process ids of both, the fork's first."""

import sys
import time
from pathlib import Path

from citewell.supervisor.processes.fleet import Fleet
from tests.supervisor.forking import PROGRAM, server

if __name__ == "__main__":
    fleet = Fleet(Path(sys.argv[1]))
    forks = fleet.launch_fork_server(server())
    fleet.await_ready([forks], within=60, deaths=1)
    program = fleet.launch(PROGRAM)
    fleet.await_ready([program], within=60, deaths=1)
    print(program.pid, forks.pid, flush=True)  # noqa: T201 - what a program says
    time.sleep(600)
