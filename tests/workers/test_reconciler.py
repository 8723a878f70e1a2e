"""Work that stopped is found and started again by whoever leads."""

import uuid
from typing import Any

import pytest
from celery import Signature
from kombu.exceptions import OperationalError
from sqlalchemy import text

from config.settings import RecoverySettings
from db.models import Query, QueryStatus
from db.queries import queries, steps
from db.queries.locks import try_leader_lock
from db.session import reading, transaction
from tests.factories import make_query
from workers.reconciler import reconcile

RECOVERY = RecoverySettings(lease_s=10, stalled_s=60, max_launches=3)


def stopped(launches: int) -> uuid.UUID:
    with transaction() as session:
        query_id = make_query(session).id
    with transaction() as session:
        for launch in range(launches):
            queries.mark_launched(session, query_id, launch)
        steps.claim_items(session, str(query_id), 0, "retrieve", [""], worker="dead", lease_s=-1)
        session.execute(
            text("UPDATE queries SET progress_at = now() - interval '1 h', created_at = now() - interval '1 h'")
        )
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
        outage.setattr("workers.launch.starting", away)
        for _ in range(RECOVERY.max_launches + 2):
            reconcile(RECOVERY)
    assert state(query_id) == (QueryStatus.QUEUED, 0)
    reconcile(RECOVERY)
    assert state(query_id) == (QueryStatus.RUNNING, 1)
    assert broker.llen("retrieval") == 1


def test_only_the_leader_acts(broker: Any) -> None:
    query_id = stopped(launches=1)
    with transaction() as session:
        assert try_leader_lock(session)
        assert reconcile(RECOVERY) == 0
    assert state(query_id) == (QueryStatus.RUNNING, 1)
    assert broker.llen("retrieval") == 0
