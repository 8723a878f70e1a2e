"""Renewal of leases continues, whatever happens to one of them."""

import threading
import uuid
from dataclasses import replace

import pytest
from sqlalchemy import QueuePool, text

from db.models import DEFAULT_TENANT, QueryStatus
from db.queries.runs import queries, steps
from db.session import engine, system_transaction, transaction
from domain.errors.service import DatabaseUnavailable
from services.finishing.completion import finish
from tests.factories import make_query
from workers.execution.claims import Claim, HeldClaims
from workers.pipeline import Run
from workers.processes.runtime import LeaseRenewer, worker_name


def test_a_renewal_that_breaks_does_not_end_the_others() -> None:  # A5
    renewed, broken = threading.Semaphore(0), threading.Semaphore(0)

    def breaks(error: Exception) -> None:
        broken.release()
        raise error

    leases = LeaseRenewer(interval_s=0.01)
    with (
        leases.hold(lambda: breaks(DatabaseUnavailable())),
        leases.hold(lambda: breaks(ZeroDivisionError())),
        leases.hold(renewed.release),
    ):
        for _ in range(3):
            assert renewed.acquire(timeout=60)
            assert broken.acquire(timeout=60)


def test_what_is_not_held_is_not_renewed() -> None:
    leases, seen, other = LeaseRenewer(interval_s=0.01), threading.Semaphore(0), threading.Semaphore(0)
    with leases.hold(seen.release):
        assert seen.acquire(timeout=60)
    with leases.hold(other.release):
        assert other.acquire(timeout=60)  # a beat may have been under way when the first was let go
        while seen.acquire(blocking=False):
            pass
        for _ in range(3):
            assert other.acquire(timeout=60)
        assert not seen.acquire(blocking=False)


def claimed(*items: str) -> Claim:
    """A claim of this process on items of its own query; its lease nearly expired a beat ago."""
    with transaction() as session:
        query_id = make_query(session).id
        assert queries.mark_launched(session, query_id, 0) == 1
        attempts = steps.claim_items(
            session, str(query_id), 0, "probe", items, worker=worker_name(), lease_s=1, launch=1
        )
    run = Run(str(query_id), 1, 0, DEFAULT_TENANT)
    return Claim(run, {("probe", item): attempt for item, attempt in attempts.items()})


def lasting(*claims: Claim) -> list[set[str]]:
    """The items of each claim whose lease has several seconds left."""
    longer = text("SELECT item FROM step_outcomes WHERE query_id = :q AND lease_until > now() + interval '5 s'")
    with system_transaction() as session:
        return [set(session.scalars(longer, {"q": claim.run.query_id})) for claim in claims]


@pytest.mark.usefixtures("database")
def test_all_claims_of_a_process_are_renewed_together_while_they_are_held() -> None:  # A5
    held, first, second, other = HeldClaims(), claimed("1", "2"), claimed("3"), claimed("4")
    with held.hold(lambda: [first]), held.hold(lambda: [second]):
        held.renew()
    assert lasting(first, second, other) == [{"1", "2"}, {"3"}, set()]
    held.renew()
    assert lasting(other) == [set()]


@pytest.mark.usefixtures("database")
def test_a_row_that_is_locked_does_not_delay_the_other_claims() -> None:  # A5
    held, locked, other = HeldClaims(), claimed("1"), claimed("2")
    with held.hold(lambda: [locked, other]), transaction() as session:
        session.execute(text("SELECT FROM step_outcomes WHERE query_id = :q FOR UPDATE"), {"q": locked.run.query_id})
        held.renew()
        assert lasting(locked, other) == [set(), {"2"}]


@pytest.mark.usefixtures("database")
def test_work_on_a_query_that_has_ended_is_stopped() -> None:  # A3
    held, stopped = HeldClaims(), list[str]()
    ended = replace(claimed("1"), stop=lambda: stopped.append("ended"))
    other = replace(claimed("2"), stop=lambda: stopped.append("other"))
    with transaction() as session:
        finish(session, uuid.UUID(ended.run.query_id), QueryStatus.CANCELLED)
    with held.hold(lambda: [ended, other]):
        held.renew()
    assert stopped == ["ended"]


@pytest.mark.usefixtures("database")
def test_what_another_worker_has_taken_over_is_not_renewed() -> None:  # A5
    held, claim = HeldClaims(), claimed("1")
    with transaction() as session:
        session.execute(text("UPDATE step_outcomes SET worker = 'successor'"))
    with held.hold(lambda: [claim]):
        held.renew()
    assert lasting(claim) == [set()]


@pytest.mark.usefixtures("database")
def test_leases_are_renewed_while_work_has_all_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    renewed, work = threading.Semaphore(0), engine()
    assert isinstance(work.pool, QueuePool)
    monkeypatch.setattr(work.pool, "_timeout", 1_000)

    def renew() -> None:
        with system_transaction() as session:
            session.execute(text("SELECT 1"))
        renewed.release()

    leases = LeaseRenewer(interval_s=0.01)
    taken = [work.connect() for _ in range(work.pool.size())]  # as many as there are: none is opened above them
    try:
        # Late returns come from the same thread.
        leases.run_when_reachable(renew)
        with leases.hold(renew):
            for _ in range(4):
                # Before anybody could have given up waiting for a connection.
                assert renewed.acquire(timeout=60)
    finally:
        for connection in taken:
            connection.close()
