"""A worker's health is a file that ages when the worker takes no messages (A10)."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import structlog

from tests.waiting import until
from workers.background import heartbeat
from workers.background.heartbeat import LoopMonitor, WatchedLoop, start_liveness_file
from workers.celery_app import app


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the clock by which loops are watched."""

    def set_to(seconds: float) -> None:
        monkeypatch.setattr(heartbeat, "time", SimpleNamespace(monotonic=lambda: seconds))

    set_to(0)
    return set_to


def test_a_loop_is_stuck_when_it_has_not_turned_for_long(now: Callable[[float], None]) -> None:  # A10
    loop = LoopMonitor()
    loop.record_turn()
    now(19)
    assert not loop.is_stuck()
    now(21)
    assert loop.is_stuck()
    loop.record_turn()
    assert not loop.is_stuck()


def test_who_waits_for_its_broker_is_not_stuck(now: Callable[[float], None]) -> None:  # A5, A10
    loop = LoopMonitor()
    now(1_000)
    assert not loop.is_stuck()
    loop.record_turn()
    loop.pause()
    now(2_000)
    assert not loop.is_stuck()


class _Counted(LoopMonitor):
    """Counts how often it was checked."""

    looks = 0

    def is_stuck(self) -> bool:
        self.looks += 1
        return super().is_stuck()

    def await_two_looks(self) -> None:
        """Wait until the second check begins: whatever the previous beat did is then done."""
        seen = self.looks
        until(lambda: self.looks >= seen + 2)


def test_the_file_grows_old_while_the_loop_is_stuck(tmp_path: Path, now: Callable[[float], None]) -> None:  # A10
    file, loop = tmp_path / "pulse", _Counted()
    loop.record_turn()
    beating = start_liveness_file(file, loop, every_s=0.005)
    until(file.exists)
    now(21)
    loop.await_two_looks()  # a beat may have looked before
    file.unlink()
    loop.await_two_looks()
    assert not file.exists()
    loop.record_turn()
    until(file.exists)
    beating.stop()


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with structlog.testing.capture_logs() as logs:
        beating = start_liveness_file(tmp_path / "missing" / "pulse", LoopMonitor(), every_s=0.005)
        until(lambda: bool(logs))
        beating.stop()
    assert (logs[0]["event"], logs[0]["error"]) == ("pulse_not_written", "No such file or directory")


class _Timer:
    """Celery's timer, as far as it is used."""

    def __init__(self) -> None:
        self.entries: list[Callable[[], None]] = []

    def call_repeatedly(self, _seconds: float, call: Callable[[], None]) -> Any:
        self.entries.append(call)
        return SimpleNamespace(cancel=lambda: self.entries.remove(call))


def test_the_loop_is_watched_for_as_long_as_its_connection_lasts(now: Callable[[float], None]) -> None:
    parent = SimpleNamespace(timer=_Timer())
    step = WatchedLoop(parent)
    step.start(parent)
    now(21)
    assert heartbeat.consumer_loop.is_stuck()
    parent.timer.entries[0]()
    assert not heartbeat.consumer_loop.is_stuck()
    step.stop(parent)
    assert parent.timer.entries == []
    now(100)
    assert not heartbeat.consumer_loop.is_stuck()


def test_every_worker_has_it() -> None:
    app.loader.import_default_modules()
    assert WatchedLoop in app.steps["consumer"]
