"""A running query's row is updated in place: no new entries in its indexes, however often it changes (A2)."""

import uuid
from collections.abc import Callable

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from db.queries.runs import events, queries
from db.session import reading, transaction
from tests.factories import make_query

pytestmark = pytest.mark.usefixtures("database")

# Of this connection alone: those of all connections have what other tests wrote, whenever it is reported.
_WRITTEN = text("SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_xact_user_tables WHERE relname = 'queries'")

WRITES: dict[str, Callable[[Session, uuid.UUID, int], object]] = {
    "a stage": lambda s, query_id, n: events.record_progress(s, query_id, f"stage {n}", [("sentence", {"n": n})]),
    "progress": lambda s, query_id, _: events.record_progress(s, query_id),
    "an event": lambda s, query_id, n: events.add_event(s, "draft", {"n": n}, query_id=query_id),
    "a round": lambda s, query_id, n: queries.advance_round(s, query_id, n + 1),
}


def written_by(work: Callable[[Session], object]) -> tuple[int, int]:
    """Do the work in a transaction; return how many rows of queries it updated, and how many of these in place."""
    with transaction() as session:
        before, before_hot = session.execute(_WRITTEN).one()
        work(session)
        session.flush()
        total, hot = session.execute(_WRITTEN).one()
    return total - before, hot - before_hot


@pytest.mark.parametrize("tell", WRITES.values(), ids=WRITES.keys())
def test_a_query_that_runs_is_written_in_place(tell: Callable[[Session, uuid.UUID, int], object]) -> None:  # A2
    running: list[uuid.UUID] = []
    for _ in range(8):
        with transaction() as session:
            running.append(make_query(session, question="What was the revenue of the company in 2023?").id)
    for query_id in running:
        written_by(lambda session, query_id=query_id: queries.mark_launched(session, query_id, 0))
    # In turn, as queries that share a page run at the same time.
    counts = [
        written_by(lambda session, query_id=query_id, number=number: tell(session, query_id, number))
        for number in range(10)
        for query_id in running
    ]
    assert sum(total for total, _ in counts) == 80
    # Now and then a page is full before Postgres has tidied it.
    assert sum(hot for _, hot in counts) >= 60


def test_no_index_of_queries_names_what_is_written_while_one_runs() -> None:  # A2
    named = text("""
        SELECT definition FROM pg_index, pg_get_indexdef(indexrelid) AS definition
        WHERE indrelid = 'queries'::regclass AND definition ~ '\\y(progress_at|stage|round|event_seq)\\y'
    """)
    with reading() as session:
        assert session.scalars(named).all() == []
