"""Stalled work is found and restarted by the leader."""

import uuid
from contextlib import ExitStack
from typing import Any

import pytest
from celery import Signature
from kombu.exceptions import OperationalError
from sqlalchemy import QueuePool, text

from clients.notifications import process_notifier
from config.settings import RecoverySettings
from db.models import Query, QueryKind, QueryStatus
from db.queries.admission.processes import try_leader_lock
from db.queries.runs import queries, steps
from db.session import engine, reading, transaction
from tests.factories import make_options, make_query
from workers.background.reconciler import TURN, UNREADABLE_LAUNCHES, look_in_turn, reconcile
from workers.starting.launch import launch_waiting

RECOVERY = RecoverySettings(lease_s=10, stalled_s=60, max_launches=3)


def stopped(launches: int) -> uuid.UUID:
    with transaction() as session:
        # Without a deadline, which would end what is so old.
        query_id = make_query(session, options=make_options(deadline_s=None).model_dump(mode="json")).id
    with transaction() as session:
        for launch in range(launches):
            queries.mark_launched(session, query_id, launch)
        steps.claim_items(session, str(query_id), 0, "retrieve", [""], worker="dead", lease_s=-1)
        session.execute(
            text("UPDATE queries SET progress_at = now() - interval '1 h', created_at = now() - interval '1 h'")
        )
    return query_id


def quiet(seconds: float) -> uuid.UUID:
    """A query that was launched `seconds` ago, without a sign of life since."""
    with transaction() as session:
        query_id = make_query(session).id
    assert launch_waiting() == 1
    with transaction() as session:
        session.execute(text(f"UPDATE queries SET progress_at = now() - interval '{seconds} s'"))
    return query_id


def state(query_id: uuid.UUID) -> tuple[str, int]:
    with reading() as session:
        query = session.get_one(Query, query_id)
        return query.status, query.launch


def test_a_query_of_a_dead_worker_is_started_again_once(broker: Any) -> None:  # A5
    query_id = stopped(launches=1)
    assert reconcile(RECOVERY) == 1
    assert reconcile(RECOVERY) == 0
    assert state(query_id) == (QueryStatus.RUNNING, 2)
    assert broker.llen("retrieval") == 1


def test_what_stopped_is_started_again_while_work_has_all_connections_but_the_reserved(broker: Any) -> None:  # A5
    query_id = stopped(launches=1)
    with reading():
        pool = engine().pool
    assert isinstance(pool, QueuePool)
    with ExitStack() as work:
        for _ in range(pool.size()):
            work.enter_context(reading())
        assert reconcile(RECOVERY) == 1
    assert state(query_id) == (QueryStatus.RUNNING, 2)


def test_a_query_whose_message_was_lost_is_started_again_after_a_lease(broker: Any) -> None:  # A5
    query_id = quiet(RECOVERY.lease_s + 1)
    assert reconcile(RECOVERY) == 0
    broker.flushall()
    assert reconcile(RECOVERY) == 1
    assert state(query_id) == (QueryStatus.RUNNING, 2)
    assert broker.llen("retrieval") == 1


def test_a_message_that_is_lost_again_and_again_is_found_as_soon(broker: Any) -> None:  # A5
    patient = RECOVERY.model_copy(update={"max_launches": 9})
    query_id = quiet(0)
    for launch in range(2, 6):
        broker.flushall()
        with transaction() as session:
            session.execute(text(f"UPDATE queries SET progress_at = now() - interval '{2 * RECOVERY.lease_s + 1} s'"))
        assert reconcile(patient) == 1
        assert state(query_id) == (QueryStatus.RUNNING, launch)


def test_a_query_whose_message_may_still_be_on_its_way_is_left_alone(broker: Any) -> None:
    query_id = quiet(RECOVERY.lease_s - 1)
    broker.flushall()
    assert reconcile(RECOVERY) == 0
    assert state(query_id) == (QueryStatus.RUNNING, 1)


def test_a_queue_too_long_to_be_looked_through_is_no_loss(broker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    query_id = quiet(RECOVERY.lease_s + 1)
    other = broker.lindex("retrieval", 0)
    broker.flushall()
    broker.rpush("retrieval", other, other)
    monkeypatch.setattr("workers.background.reconciler.MAX_WAITING", 1)
    assert reconcile(RECOVERY) == 0
    assert state(query_id) == (QueryStatus.RUNNING, 1)


def test_an_accepted_query_that_was_never_started_is_started(broker: Any) -> None:  # A5
    query_id = stopped(launches=0)
    assert reconcile(RECOVERY) == 1
    assert state(query_id) == (QueryStatus.RUNNING, 1)
    assert broker.llen("retrieval") == 1


def test_after_too_many_starts_the_query_fails_with_a_reason(broker: Any) -> None:  # A5
    query_id = stopped(launches=3)
    reconcile(RECOVERY)
    assert state(query_id) == (QueryStatus.FAILED, 3)
    with reading() as session:
        error = session.get_one(Query, query_id).error
    assert error is not None
    assert "stopped 3 times" in error["message"]
    assert broker.llen("retrieval") == 0


def test_a_broker_that_is_away_for_long_uses_up_no_starts(broker: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # A5
    query_id = stopped(launches=0)

    def away(*_: Any) -> Signature[Any]:
        raise OperationalError("connection refused")

    with monkeypatch.context() as outage:
        outage.setattr("workers.starting.launch.start_canvas", away)
        for _ in range(RECOVERY.max_launches + 2):
            reconcile(RECOVERY)
    assert state(query_id) == (QueryStatus.QUEUED, 0)
    reconcile(RECOVERY)
    assert state(query_id) == (QueryStatus.RUNNING, 1)
    assert broker.llen("retrieval") == 1


def test_what_waited_too_long_to_be_finished_is_ended_before_it_is_started(broker: Any) -> None:  # F11
    with transaction() as session:
        late = make_query(session, options=make_options(deadline_s=30).model_dump(mode="json")).id
        fresh = make_query(session, options=make_options(deadline_s=30).model_dump(mode="json")).id
        session.execute(
            text("UPDATE queries SET created_at = now() - interval '31 s' WHERE id = :id").bindparams(id=late)
        )
    assert launch_waiting() == 1
    reconcile(RECOVERY)
    assert state(late) == (QueryStatus.FAILED, 0)
    assert state(fresh) == (QueryStatus.RUNNING, 1)
    with reading() as session:
        error = session.get_one(Query, late).error
    assert error is not None
    assert (error["code"], "no model was asked" in error["message"]) == ("deadline_exceeded", True)
    assert broker.llen("retrieval") == 1


def of_a_newer_program(kind: str = QueryKind.ANSWER) -> uuid.UUID:
    options = make_options().model_dump(mode="json") | {"retrieval_method": "of_a_newer_program"}
    with transaction() as session:
        return make_query(session, options=options, kind=kind).id


def test_an_unreadable_query_stops_none_of_those_that_are_let_in_with_it(broker: Any) -> None:
    with transaction() as session:
        first = make_query(session).id
    broken = of_a_newer_program()
    with transaction() as session:
        last = make_query(session).id
    assert launch_waiting() == 3
    assert broker.llen("retrieval") == 2
    assert [state(each) for each in (first, broken, last)] == [(QueryStatus.RUNNING, 1)] * 3


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(QueryKind))
def test_an_unreadable_query_is_left_to_others_and_then_given_up_with_a_reason(broker: Any, kind: str) -> None:
    assert broker
    # A newer program may yet start it; otherwise the deadline ends it.
    patient = RECOVERY.model_copy(update={"max_launches": 30})
    broken = of_a_newer_program(kind)
    launch_waiting()
    for launch in range(2, UNREADABLE_LAUNCHES + 3):
        other = stopped(launches=1)
        with transaction() as session:
            session.execute(text("UPDATE queries SET created_at = now(), progress_at = now() - interval '1 h'"))
        reconcile(patient)
        assert state(other)[0] == QueryStatus.RUNNING
        assert state(other)[1] >= 2
        if state(broken)[0] == QueryStatus.FAILED:
            break
        assert state(broken) == (QueryStatus.RUNNING, launch)
    assert state(broken)[0] == QueryStatus.FAILED
    with reading() as session:
        error = session.get_one(Query, broken).error
    assert error is not None
    assert "cannot read the query's stored options" in error["message"]


def test_what_can_go_on_is_started_before_what_is_over_is_ended(broker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with transaction() as session:
        over = [make_query(session, options=make_options(deadline_s=1).model_dump(mode="json")).id for _ in range(3)]
    assert launch_waiting() == 3
    with transaction() as session:
        session.execute(text("UPDATE queries SET created_at = now() - interval '1 h'"))
    going_on = stopped(launches=1)
    # Not even the first of them takes longer than all of them may.
    monkeypatch.setattr("workers.background.reconciler.MAX_END_S", 0.0)
    assert reconcile(RECOVERY) == 1
    assert state(going_on) == (QueryStatus.RUNNING, 2)
    assert [state(each)[0] for each in over].count(QueryStatus.FAILED) == 1
    for _ in range(2):
        reconcile(RECOVERY)
    assert [state(each)[0] for each in over] == [QueryStatus.FAILED] * 3


def test_a_query_that_somebody_holds_keeps_no_other_from_being_ended(broker: Any) -> None:
    assert broker
    with transaction() as session:
        held, free = (make_query(session, options=make_options(deadline_s=1).model_dump(mode="json")).id for _ in "12")
    assert launch_waiting() == 2
    with transaction() as session:
        session.execute(text("UPDATE queries SET created_at = now() - interval '1 h'"))
    with transaction() as session:
        session.execute(text("SELECT FROM queries WHERE id = :id FOR UPDATE").bindparams(id=held))
        reconcile(RECOVERY)
        assert (state(held)[0], state(free)[0]) == (QueryStatus.RUNNING, QueryStatus.FAILED)
    reconcile(RECOVERY)
    assert state(held)[0] == QueryStatus.FAILED


def test_only_the_leader_acts(broker: Any) -> None:
    query_id = stopped(launches=1)
    with transaction() as session:
        assert try_leader_lock(session)
        assert reconcile(RECOVERY) == 0
    assert state(query_id) == (QueryStatus.RUNNING, 1)
    assert broker.llen("retrieval") == 0


@pytest.mark.usefixtures("database")
def test_a_leader_that_is_stopped_in_the_middle_does_not_lead_for_long() -> None:  # A5
    with transaction() as session:
        assert try_leader_lock(session)
        assert session.scalar(text("SHOW idle_in_transaction_session_timeout")) == "5s"
    with transaction() as session:
        assert session.scalar(text("SHOW idle_in_transaction_session_timeout")) == "30s"


@pytest.mark.usefixtures("broker")
def test_a_process_that_cannot_look_leaves_the_turn_to_another() -> None:  # A5
    recovery, looks = RecoverySettings(check_s=600), list[str]()

    def fails() -> None:
        raise LookupError

    try:
        with pytest.raises(LookupError):
            look_in_turn(fails, recovery)
        for name in ("the next process", "one that comes too late"):
            look_in_turn(lambda name=name: looks.append(name), recovery)
    finally:
        process_notifier().give_turn_up(TURN)
    assert looks == ["the next process"]
