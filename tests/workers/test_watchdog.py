"""What hangs in C ends with its process; what only waits does not."""

import os
import signal
import subprocess
import sys
import time

import psutil

_WATCHED = """
import re, sys, time
from workers.watchdog import start_watchdog
start_watchdog(0.5, 0.1)
print("watched", flush=True)
{}
print("over", flush=True)
"""
# Keeps the interpreter's lock for longer than anybody waits.
_HANGS = "re.match(r'(a+)+b', 'a' * 40)"
_COMPUTES = "end = time.process_time() + 1.5\nwhile time.process_time() < end: sum(range(1000))"


def _started(what: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _WATCHED.format(what)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "watched\n"
    return process


def test_a_process_that_hangs_in_c_is_ended_and_says_where() -> None:  # F1
    process = _started(_HANGS)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGPROF
    assert 'File "<string>"' in errors, errors
    # The thread that hangs is among those shown.
    assert "re/__init__.py" in errors or "in match" in errors, errors


def test_a_process_that_is_stopped_or_lets_others_run_goes_on() -> None:  # F1
    process = _started(_COMPUTES)
    os.kill(process.pid, signal.SIGSTOP)
    # For longer than it may hang, by the clock on the wall.
    time.sleep(1.0)
    assert psutil.Process(process.pid).status() == psutil.STATUS_STOPPED
    os.kill(process.pid, signal.SIGCONT)
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "over\n"), errors
