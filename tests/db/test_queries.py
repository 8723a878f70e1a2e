"""A query's life: launched, stalled, finished once."""

import uuid

import pytest
from sqlalchemy import text

from db.models import Query, QueryStatus
from db.queries.runs import queries, steps
from db.session import reading, transaction
from tests.factories import make_query

pytestmark = pytest.mark.usefixtures("database")


def launched(age_s: float = 0.0, launches: int = 1) -> uuid.UUID:
    with transaction() as session:
        query_id = make_query(session).id
    with transaction() as session:
        for launch in range(launches):
            assert queries.mark_launched(session, query_id, launch) == launch + 1
    with transaction() as session:
        session.execute(text(f"UPDATE queries SET progress_at = now() - interval '{age_s} s'"))
    return query_id


def claimed(query_id: uuid.UUID, lease_s: float) -> None:
    with transaction() as session:
        steps.claim_items(session, str(query_id), 0, "retrieve", [""], worker="w", lease_s=lease_s)


def stalled() -> list[uuid.UUID]:
    with reading() as session:
        return [launch.query_id for launch in queries.list_stalled(session, lease_s=10, stalled_s=60)]


def test_only_one_of_two_concurrent_starts_counts() -> None:  # A5
    query_id = launched()
    with transaction() as session:
        assert queries.mark_launched(session, query_id, 0) is None


def test_a_message_of_an_older_start_is_stale() -> None:  # A5
    query_id = launched(launches=2)
    with reading() as session:
        assert queries.find_current(session, str(query_id), 1) is None
        assert queries.find_current(session, str(query_id), 2) is not None


def test_a_query_with_a_live_lease_is_not_stalled_however_old() -> None:
    query_id = launched(age_s=10_000)
    claimed(query_id, lease_s=30)
    assert stalled() == []


def test_a_lease_that_ran_out_stalls_the_query_soon() -> None:
    query_id = launched(age_s=11)
    claimed(query_id, lease_s=-1)
    assert stalled() == [query_id]


def test_patience_doubles_with_every_launch() -> None:
    query_id = launched(age_s=11, launches=2)
    # This one was there long before the launch.
    claimed(query_id, lease_s=-100)
    assert stalled() == []


def test_a_death_in_this_launch_needs_no_patience_however_many_there_were() -> None:  # A5
    query_id = launched(age_s=11, launches=5)
    claimed(query_id, lease_s=-1)
    assert stalled() == [query_id]


def test_without_a_lease_patience_is_long() -> None:
    launched(age_s=50)
    assert stalled() == []
    with transaction() as session:
        session.execute(text("UPDATE queries SET progress_at = now() - interval '61 s'"))
    assert len(stalled()) == 1


def test_an_undone_launch_makes_the_query_queued_again() -> None:
    query_id = launched()
    with transaction() as session:
        queries.unlaunch(session, query_id, 1)
    with reading() as session:
        assert session.get_one(Query, query_id).status == QueryStatus.QUEUED


def test_a_query_finishes_once() -> None:  # A5
    query_id = launched()
    with transaction() as session:
        assert queries.mark_finished(session, query_id, QueryStatus.SUCCEEDED)
        assert not queries.mark_finished(session, query_id, QueryStatus.FAILED, error={"code": "late"})
    with reading() as session:
        query = session.get_one(Query, query_id)
        assert (query.status, query.error) == (QueryStatus.SUCCEEDED, None)
