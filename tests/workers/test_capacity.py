"""A process gets as many queries as it can process, and fewer when its machine is busy (A7)."""

import os
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import text

from db.session import system_transaction
from domain.errors.service import DatabaseUnavailable
from tests.waiting import until
from workers.background.heartbeat import Heartbeat
from workers.processes.capacity import (
    HIGH_LOAD,
    IDLE_SHARE,
    INITIAL_PLACES,
    LOW_LOAD,
    MEASURE_EVERY_S,
    MIN_PLACES,
    Capacity,
    idle_s,
    load_of,
    next_capacity,
)

MOST = 32


QUIET, BETWEEN, BUSY = 0.4, 0.8, 1.0


def after(capacity: int, *strains: float, is_full: bool = True) -> int:
    for load in strains:
        capacity = next_capacity(capacity, load, MOST, is_full=is_full)
    return capacity


def test_room_grows_to_the_limit_while_all_of_it_is_taken_and_nobody_waits() -> None:  # F11
    assert after(INITIAL_PLACES, *[QUIET] * 8) == MOST
    assert after(INITIAL_PLACES, *[QUIET] * 8, is_full=False) == INITIAL_PLACES


def test_room_shrinks_while_work_waits_for_its_turn_and_never_to_nothing() -> None:  # F11
    assert after(MOST, BUSY) < MOST
    assert after(MOST, *[BUSY] * 20) == MIN_PLACES
    assert next_capacity(1, BUSY, 1, is_full=True) == 1


def test_between_the_two_it_stays() -> None:  # F11
    assert after(10, *[BETWEEN] * 5) == 10


def test_waiting_for_a_core_counts_where_none_is_idle() -> None:  # F11
    """Threads that wake together wait for each other even on a machine with time to spare."""
    many = [0.1] * 10
    assert load_of(0.4, many, idle=IDLE_SHARE / 2) > HIGH_LOAD
    assert load_of(0.4, many, idle=IDLE_SHARE * 2) < LOW_LOAD
    # Others use the machine up: who hardly computes takes nothing from anybody.
    assert load_of(0.1, [0.03] * 10, idle=0.0) < LOW_LOAD
    assert load_of(0.2, [0.99], idle=0.5) > HIGH_LOAD


def test_idle_is_what_the_cores_of_this_process_did_not_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:  # F11
    """In the formats of proc(5) and the cgroup's cpu.stat: ticks of a hundredth of a second, and microseconds."""
    times, quota = tmp_path / "stat", tmp_path / "cpu.stat"
    times.write_text("cpu 9 9 9 900 90 9\ncpu0 1 1 1 200 50 1 0\ncpu1 1 1 1 300 0 1 0\ncpu2 1 1 1 400 0 1 0\nintr 5\n")
    for name, value in (("CORE_TIMES", times), ("QUOTA", quota)):
        monkeypatch.setattr(f"workers.processes.capacity._{name}", value)
    monkeypatch.setattr("workers.processes.capacity._cores", {0, 1}.copy)
    ticks_per_s = os.sysconf("SC_CLK_TCK")
    assert idle_s() == pytest.approx(550 / ticks_per_s)
    # Both cores were throttled for half a second.
    quota.write_text("usage_usec 7\nnr_throttled 2\nthrottled_usec 500000\n")
    assert idle_s() == pytest.approx(550 / ticks_per_s - 1)
    times.unlink()
    assert idle_s() == 0.0


def places_after_a_second(capacity: Capacity) -> int:
    capacity.adjust()
    time.sleep(MEASURE_EVERY_S)
    capacity.adjust()
    return capacity.places


def test_a_process_that_computes_all_the_time_has_less_room() -> None:  # F11
    done = threading.Event()

    def compute() -> None:
        while not done.is_set():
            sum(range(1_000))

    thread = threading.Thread(target=compute)
    thread.start()
    try:
        capacity = Capacity(MOST, lambda: True)
        # In a single second that others compute in, the time that the thread now waits for a core is not counted yet.
        until(lambda: places_after_a_second(capacity) < INITIAL_PLACES)
    finally:
        done.set()
        thread.join()


def test_a_process_that_waits_for_models_has_more_room() -> None:  # A1
    capacity = Capacity(MOST, lambda: True)
    # A core that others take from this process for a second looks like work of its own.
    until(lambda: places_after_a_second(capacity) > INITIAL_PLACES)


def test_the_first_look_and_a_database_that_is_away_change_nothing() -> None:  # A5
    def away() -> bool:
        raise DatabaseUnavailable

    capacity = Capacity(MOST, away)
    assert not capacity.adjust()
    assert capacity.places == INITIAL_PLACES
    assert places_after_a_second(capacity) <= INITIAL_PLACES


@pytest.mark.usefixtures("database")
def test_what_a_process_can_take_stands_in_its_row() -> None:  # F11
    def said() -> list[int | None]:
        with system_transaction() as session:
            return [row[0] for row in session.execute(text("SELECT room FROM worker_processes"))]

    heartbeat = Heartbeat(["verification"], 8, beat_every_s=0.01, capacity=Capacity(5, lambda: False))
    heartbeat.start()
    until(lambda: said() == [5])
    heartbeat.join()
    until(lambda: said() == [])
