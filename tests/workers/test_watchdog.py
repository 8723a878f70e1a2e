"""A hang in C ends its process; mere waiting does not."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

_WATCHED = """
import re, sys, time
from workers.processes.watchdog import start_watchdog
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


@pytest.mark.slow
def test_a_process_that_is_stopped_or_lets_others_run_goes_on() -> None:  # F1
    process = _started(_COMPUTES)
    os.kill(process.pid, signal.SIGSTOP)
    # For longer than it may hang, by the clock on the wall.
    time.sleep(1.0)
    assert psutil.Process(process.pid).status() == psutil.STATUS_STOPPED
    os.kill(process.pid, signal.SIGCONT)
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "over\n"), errors


_LOOP = """
import asyncio, threading, time
from workers.processes.watchdog import watch_loop
loop = asyncio.new_event_loop()
threading.Thread(target=loop.run_forever, daemon=True).start()
watch_loop(loop, 0.1, {most_checks})
time.sleep(0.3)
print("watched", flush=True)
{what}
print("over", flush=True)
"""


def _of_loop(what: str, most_checks: int) -> tuple[int, str]:
    command = [sys.executable, "-c", _LOOP.format(what=what, most_checks=most_checks)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout


def test_a_loop_that_is_blocked_ends_its_process_and_the_log_says_where() -> None:
    code, told = _of_loop("loop.call_soon_threadsafe(time.sleep, 60)\ntime.sleep(40)", most_checks=5)
    assert code == 70
    assert "loop_is_late" in told
    assert "loop_hangs" in told
    assert "over" not in told


@pytest.mark.slow
def test_a_loop_that_is_late_for_a_moment_goes_on() -> None:
    # Far from both limits, as the watch may be late itself.
    code, told = _of_loop("loop.call_soon_threadsafe(time.sleep, 1.0)\ntime.sleep(2.0)", most_checks=200)
    assert (code, "over" in told, "loop_is_late" in told, "loop_hangs" in told) == (0, True, True, False)
