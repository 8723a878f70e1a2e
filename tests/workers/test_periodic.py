"""A periodic job keeps running after a run that fails."""

import threading
from itertools import count, pairwise
from time import monotonic

import pytest
import structlog

from clients.telemetry.meter import METER, PERIODIC_FAILURES
from domain.errors.service import DatabaseUnavailable
from tests.waiting import until
from workers.processes.runtime import Periodic

NEVER_S = 3_600.0


def failures(name: str) -> float:
    return METER.counts().get(PERIODIC_FAILURES.name, {}).get(f'["{name}"]', {}).get("", 0.0)


def test_it_runs_again_and_again_until_it_is_stopped() -> None:
    runs = threading.Semaphore(0)
    periodic = Periodic("again", 0.01, runs.release, failed="failed")
    periodic.start()
    for _ in range(3):
        assert runs.acquire(timeout=60)
    periodic.stop()
    while runs.acquire(blocking=False):
        pass
    assert not runs.acquire(timeout=0.1)


def test_the_first_run_is_after_the_pause_or_at_once() -> None:
    later, now = threading.Event(), threading.Event()
    pausing = Periodic("later", NEVER_S, later.set, failed="failed")
    eager = Periodic("now", NEVER_S, now.set, failed="failed", at_once=True)
    pausing.start()
    eager.start()
    assert now.wait(60)
    pausing.stop()
    eager.stop()
    assert not later.is_set()


def test_a_run_that_raises_is_logged_and_counted_and_the_next_one_comes() -> None:  # A5
    before, errors, fine = failures("raising"), [DatabaseUnavailable(), ZeroDivisionError()], threading.Event()

    def job() -> None:
        if errors:
            raise errors.pop(0)
        fine.set()

    with structlog.testing.capture_logs() as logs:
        periodic = Periodic("raising", 0.01, job, failed="it_failed")
        periodic.start()
        assert fine.wait(60)
        periodic.stop()
    told = [(log["event"], log["log_level"], log.get("error")) for log in logs]
    assert told == [("it_failed", "warning", "DatabaseUnavailable"), ("it_failed", "error", None)]
    assert failures("raising") == before + 2


def test_one_without_a_pause_runs_when_it_is_woken_even_during_a_run() -> None:
    begun, go_on = threading.Semaphore(0), threading.Semaphore(0)

    def job() -> None:
        begun.release()
        assert go_on.acquire(timeout=60)

    periodic = Periodic("woken", None, job, failed="failed")
    periodic.start()
    assert not begun.acquire(timeout=0.1)
    periodic.wake()
    assert begun.acquire(timeout=60)
    periodic.wake()
    go_on.release(2)
    assert begun.acquire(timeout=60)
    periodic.stop()
    assert not begun.acquire(blocking=False)


def test_after_a_failure_it_tries_again_by_itself_more_and_more_slowly() -> None:  # A5
    at, numbers, done = list[float](), count(), threading.Event()

    def job() -> None:
        at.append(monotonic())
        if next(numbers) < 4:
            raise DatabaseUnavailable
        done.set()

    periodic = Periodic("retrying", None, job, failed="failed", retry_s=(0.05, 0.2))
    periodic.start()
    periodic.wake()
    assert done.wait(60)
    periodic.stop()
    # Each pause is at least half of what it may be.
    for (earlier, later), least in zip(pairwise(at), (0.025, 0.05, 0.1, 0.1), strict=True):
        assert later - earlier >= least


def test_the_last_act_comes_when_it_is_stopped_and_may_fail() -> None:
    order = list[str]()

    def last() -> None:
        order.append("last")
        raise DatabaseUnavailable

    periodic = Periodic("ending", 0.01, lambda: order.append("run"), failed="failed", last=last)
    periodic.start()
    until(lambda: len(order) > 1)
    periodic.stop()
    assert (order.count("last"), order[-1]) == (1, "last")


def test_stopping_waits_no_longer_than_it_may_and_it_starts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.processes.runtime.JOIN_S", 0.05)
    hanging, begun, runs = threading.Event(), threading.Event(), threading.Semaphore(0)

    def job() -> None:
        if not begun.is_set():
            begun.set()
            assert hanging.wait(60)
        else:
            runs.release()

    periodic = Periodic("hanging", None, job, failed="failed")
    periodic.start()
    periodic.wake()
    assert begun.wait(60)
    periodic.stop()
    assert not periodic.is_running
    periodic.start()
    # The previous thread exits without consuming the wake-up of the new one.
    hanging.set()
    periodic.wake()
    assert runs.acquire(timeout=60)
    periodic.stop()


def test_starting_twice_is_starting_once() -> None:
    periodic = Periodic("once", NEVER_S, lambda: None, failed="failed")
    periodic.start()
    periodic.start()
    assert [thread.name for thread in threading.enumerate()].count("once") == 1
    periodic.stop()
