"""Objects created once per process: by which thread, and what a forked child has of them."""

import subprocess
import sys
import threading

import pytest

from workers.processes.runtime import once

FORK = """
import asyncio, os, sys
from workers.lifecycle import reset_after_fork
from workers.processes.runtime import event_loop, leases, run, worker_name

def all_of_it():
    return worker_name(), leases(), run(asyncio.sleep(0, os.getpid()))

before = all_of_it()
if child := os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
reset_after_fork()
after = all_of_it()
is_own = before[0] != after[0] and f":{os.getpid()}:" in after[0] and before[1] is not after[1]
os._exit(0 if is_own and after[2] == os.getpid() else 3)
"""


@pytest.mark.slow
def test_a_forked_child_has_a_name_a_loop_and_leases_of_its_own() -> None:
    ran = subprocess.run([sys.executable, "-c", FORK], timeout=120, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_who_wants_one_thing_does_not_wait_for_another_to_be_made() -> None:
    begun, may_end = threading.Event(), threading.Event()

    @once
    def slow() -> int:
        begun.set()
        assert may_end.wait(60)
        return 1

    @once
    def quick() -> int:
        return 2

    maker = threading.Thread(target=slow)
    maker.start()
    try:
        assert begun.wait(60)
        answers: list[int] = []
        other = threading.Thread(target=lambda: answers.append(quick()))
        other.start()
        other.join(60)
        assert answers == [2]
    finally:
        may_end.set()
        maker.join()
    assert slow() == 1
