"""A process of Citewell with failpoints in it: `python -m tests.faults.wrapped celery -A workers.celery_app …`."""

import os
import pkgutil
import runpy
import sys
import time

CLOCK = "CITEWELL_TESTS_CLOCK_S"
"""The variable that says by how many seconds the clock of this process is wrong."""
HOOKS = "tests.faults.hooks:install"
"""What puts failpoints into a process, and into all that are forked from it."""


def _shift_clock(seconds: float) -> None:
    # Only what asks `time.time()`: Celery, its transport, and whatever in the program would trust a worker's clock.
    right = time.time
    time.time = lambda: right() + seconds


if __name__ == "__main__":
    if shift := float(os.environ.get(CLOCK, "0")):
        _shift_clock(shift)
    # Not before: what these modules import takes the clock with it.
    pkgutil.resolve_name(HOOKS)()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
