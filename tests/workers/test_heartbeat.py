"""Live worker processes are known, and dead ones are recognised as dead (A1, A7)."""

import os
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from db.queries.admission.processes import Process, delete_dead_processes, list_processes
from db.session import system_transaction
from tests.processes import living
from tests.waiting import until
from workers.background.heartbeat import Heartbeat

pytestmark = pytest.mark.usefixtures("database")


def known() -> list[Process]:
    with system_transaction() as session:
        return list_processes(session)


def test_a_process_is_known_as_long_as_it_lives_and_takes_part(monkeypatch: pytest.MonkeyPatch) -> None:  # A1
    monkeypatch.setattr("workers.processes.runtime.JOIN_S", 60.0)
    assert known() == []
    heartbeat = Heartbeat(["verification", "citations"], 8, beat_every_s=0.01)
    heartbeat.start()
    until(lambda: len(known()) == 1)
    (process,) = known()
    assert (process.pid, process.queues, process.concurrency) == (os.getpid(), ["citations", "verification"], 8)
    with system_transaction() as session:
        session.execute(text("UPDATE worker_processes SET seen_at = now() - interval '1 min'"))
    until(lambda: known()[0].alive)
    heartbeat.join()
    assert known() == []


def test_one_is_dead_after_fifteen_seconds_of_silence() -> None:  # A1
    process = Process("host", 1, ["verification"], 1, datetime.now(UTC), 0.0)
    assert [process._replace(silent_s=silent).alive for silent in (14.9, 15.0)] == [True, False]


def test_one_that_is_silent_is_dead_and_forgotten_later() -> None:  # A1
    with living("verification"):
        # Of the fifteen seconds some may pass until it is looked.
        for seconds, alive in ((5, True), (16, False)):
            with system_transaction() as session:
                silent = text("UPDATE worker_processes SET seen_at = clock_timestamp() - make_interval(secs => :s)")
                session.execute(silent, {"s": seconds})
                delete_dead_processes(session)
            assert [process.alive for process in known()] == [alive]
        with system_transaction() as session:
            session.execute(text("UPDATE worker_processes SET seen_at = now() - interval '61 min'"))
            delete_dead_processes(session)
        assert known() == []
