"""A process is given as many queries as it can take, and takes fewer when its machine is busy (A7)."""

import threading

import pytest
from sqlalchemy import text

from db.session import system_transaction
from domain.errors import DatabaseUnavailable
from tests.waiting import until
from workers.presence import Presence
from workers.room import CALM_S, CROWDED_S, FEWEST, FIRST, Room, next_room

MOST = 32


def after(room: int, *late_s: float, is_full: bool = True) -> int:
    for each in late_s:
        room = next_room(room, each, MOST, is_full=is_full)
    return room


def test_room_grows_to_the_limit_while_all_of_it_is_taken_and_nobody_waits() -> None:  # F11
    assert after(FIRST, *[CALM_S / 2] * 5) == MOST
    assert after(FIRST, *[CALM_S / 2] * 5, is_full=False) == FIRST


def test_room_shrinks_while_work_waits_for_its_turn_and_never_to_nothing() -> None:  # F11
    assert after(MOST, CROWDED_S * 2) < MOST
    assert after(MOST, *[CROWDED_S * 2] * 20) == FEWEST
    assert next_room(1, CROWDED_S * 2, 1, is_full=True) == 1


def test_between_the_two_it_stays() -> None:  # F11
    assert after(10, *[(CALM_S + CROWDED_S) / 2] * 5) == 10


def test_a_process_that_computes_finds_that_it_wakes_late() -> None:  # F11
    computing = threading.Event()

    def compute() -> None:
        while not computing.is_set():
            sum(range(1_000))

    threads = [threading.Thread(target=compute) for _ in range(6)]
    for thread in threads:
        thread.start()
    try:
        room = Room(MOST, lambda: True)
        room.look(threading.Event())
        assert room.places < FIRST
    finally:
        computing.set()
        for thread in threads:
            thread.join()


def test_whoever_leaves_looks_no_longer_and_a_database_that_is_away_changes_nothing() -> None:  # A5
    def away() -> bool:
        raise DatabaseUnavailable

    leaving = threading.Event()
    leaving.set()
    room = Room(MOST, away)
    assert not room.look(leaving)
    leaving.clear()
    room.look(leaving)
    assert room.places <= FIRST


@pytest.mark.usefixtures("database")
def test_what_a_process_can_take_stands_in_its_row() -> None:  # F11
    def said() -> list[int | None]:
        with system_transaction() as session:
            return [row[0] for row in session.execute(text("SELECT room FROM worker_processes"))]

    presence = Presence(["verification"], 8, say_every_s=0.01, room=Room(5, lambda: False))
    presence.start()
    until(lambda: said() == [5])
    presence.left()
    until(lambda: said() == [])
