"""The launcher starts waiting work outside of requests, and survives an outage of the broker (A5, A7)."""

import threading
import uuid
from collections.abc import Generator
from contextlib import ExitStack
from typing import Any

import pytest
from kombu.exceptions import OperationalError
from sqlalchemy import QueuePool

from db.models import DEFAULT_TENANT, Query, QueryStatus
from db.session import current_tenant, engine, reading, transaction
from services.finishing.completion import finish
from tests.factories import make_document, make_query
from tests.waiting import until
from workers.starting.launch import Launcher


@pytest.fixture
def running(broker: Any, monkeypatch: pytest.MonkeyPatch) -> Generator[Launcher]:
    """A launcher on the emptied broker; its work at the stop does not reach into the next test."""
    assert broker
    monkeypatch.setattr("workers.processes.runtime.JOIN_S", 60.0)
    engine()  # two threads that want the first one at the same time would make two
    launcher = Launcher()
    launcher.start()
    yield launcher
    launcher.stop()


def ask() -> uuid.UUID:
    with transaction() as session:
        return make_query(session).id


def status(query_id: uuid.UUID) -> tuple[str, int, bool]:
    with reading() as session:
        query = session.get_one(Query, query_id)
        return query.status, query.launch, query.started_at is not None


def end_and_break(query_id: uuid.UUID) -> None:
    with transaction() as session:
        assert finish(session, query_id, QueryStatus.CANCELLED)
        raise LookupError


def test_a_nudge_starts_what_waits(running: Launcher, broker: Any) -> None:  # A7
    query_id = ask()
    running.queries()
    until(lambda: broker.llen("retrieval") == 1)
    assert status(query_id) == (QueryStatus.RUNNING, 1, True)
    with transaction() as session:
        make_document(session, "words", status="queued")
    running.documents()
    until(lambda: broker.llen("ingestion") == 1)


def test_what_waits_starts_while_steps_and_requests_have_all_other_connections(  # A7
    running: Launcher, broker: Any
) -> None:
    ask()
    with ExitStack() as busy:
        pool = engine().pool
        assert isinstance(pool, QueuePool)
        for _ in range(pool.size()):
            busy.enter_context(transaction())
        running.queries()
        until(lambda: broker.llen("retrieval") == 1)


def test_the_end_of_a_query_lets_the_next_one_in(
    running: Launcher, broker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:  # A7
    monkeypatch.setattr("db.queries.admission.admission.AT_A_TIME", 1)
    first, second = ask(), ask()
    running.queries()
    until(lambda: broker.llen("retrieval") == 2)
    third = ask()
    with transaction() as session:
        # Whatever ends it: a step, an error, a cancellation, the reconciler.
        assert finish(session, first, QueryStatus.CANCELLED)
    until(lambda: broker.llen("retrieval") == 3)
    assert status(third)[0] == status(second)[0] == QueryStatus.RUNNING


def test_an_end_that_is_taken_back_tells_nobody(broker: Any) -> None:
    assert broker is not None
    query_id, told = ask(), threading.Event()
    launcher = Launcher()
    launcher.queries = told.set
    launcher.start()
    told.clear()
    try:
        with pytest.raises(LookupError):
            end_and_break(query_id)
        assert not told.is_set()
        with transaction() as session:
            assert finish(session, query_id, QueryStatus.CANCELLED)
            assert not told.is_set()
        assert told.is_set()
    finally:
        launcher.stop()


def test_while_the_broker_is_away_the_query_waits_and_then_it_starts(
    running: Launcher, broker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:  # A5
    tried = threading.Semaphore(0)

    def away(*_: object) -> None:
        tried.release()
        raise OperationalError

    with monkeypatch.context() as outage:
        outage.setattr("workers.starting.launch.start_canvas", away)
        query_id = ask()
        running.queries()
        for _ in range(3):
            assert tried.acquire(timeout=60)
    until(lambda: broker.llen("retrieval") == 1)
    assert status(query_id) == (QueryStatus.RUNNING, 1, True)


def test_a_hint_is_given_until_it_is_taken_and_for_its_tenant(running: Launcher) -> None:  # A5, A8
    seen: list[tuple[uuid.UUID, int]] = []
    wanted = uuid.uuid4()

    def launch(row_id: uuid.UUID) -> bool:
        seen.append((row_id, current_tenant()))
        return len(seen) > 1

    running.hint(launch, wanted)
    until(lambda: len(seen) == 2)
    assert seen == [(wanted, DEFAULT_TENANT)] * 2


def test_what_is_not_started_starts_nothing(broker: Any) -> None:
    query_id = ask()
    Launcher().queries()
    assert (broker.llen("retrieval"), status(query_id)[0]) == (0, QueryStatus.QUEUED)


def test_one_that_was_stopped_starts_again(broker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.processes.runtime.JOIN_S", 60.0)
    launcher = Launcher()
    launcher.start()
    launcher.stop()
    launcher.start()
    try:
        query_id = ask()
        launcher.queries()
        until(lambda: broker.llen("retrieval") == 1)
        assert status(query_id)[:2] == (QueryStatus.RUNNING, 1)
    finally:
        launcher.stop()
