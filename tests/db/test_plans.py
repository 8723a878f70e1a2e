"""Reads use an index while history grows: their cost does not grow with finished work (A3, A5)."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.orm import Session

from db.models import QueryKind
from db.queries.documents import documents, imports
from db.queries.reports import metrics, quality
from db.queries.runs import budgets, events, queries, threads
from db.queries.runs.queries import QueryFilter
from db.queries.webhooks import deliveries
from db.session import reading
from tests.factories import make_query

_NO_OTHER_WAY = "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off"


# Half of them questions, half verifications, in eleven workspaces; one in twenty failed, one in twenty was cancelled.
_HISTORY = text("""
    INSERT INTO queries SELECT (jsonb_populate_record(q, jsonb_build_object(
        'id', gen_random_uuid(),
        'workspace_id', (CAST(:workspaces AS bigint[]))[1 + n % 11],
        'kind', CASE WHEN n % 2 = 0 THEN 'answer' ELSE 'verification' END,
        'status', CASE n % 20 WHEN 7 THEN 'failed' WHEN 8 THEN 'cancelled' ELSE 'succeeded' END,
        'created_at', now() - n * interval '1 second',
        'finished_at', now()
    ))).* FROM queries AS q, generate_series(1, 2000) AS n WHERE q.id = :query
""")


def some_history(session: Session) -> None:
    """Rows that make the wrong index cost several times as much: with few rows every index is as good as another."""
    query = make_query(session)
    others = [make_query(session, workspace=f"other-{number}").workspace_id for number in range(10)]
    session.execute(_HISTORY, {"query": query.id, "workspaces": [query.workspace_id, *others]})
    session.execute(text("ANALYZE queries"))


def plan_of(session: Session, read: Callable[[Session], object]) -> str:
    """How Postgres would run the last statement of `read` if it avoided full table scans and sorting; nothing that is
    read, written or set for it stays."""
    with session.begin_nested() as tried:
        plan = _plan_of(session, read)
        tried.rollback()
    return plan


def _plan_of(session: Session, read: Callable[[Session], object]) -> str:
    run: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, statement: str, parameters: object, *_: object) -> None:
        run.append((statement, parameters))

    connection = session.connection()
    event.listen(connection, "before_cursor_execute", note)
    read(session)
    event.remove(connection, "before_cursor_execute", note)
    session.execute(text(_NO_OTHER_WAY))
    statement, parameters = run[-1]
    return "\n".join(row[0] for row in connection.exec_driver_sql(f"EXPLAIN {statement}", parameters))


def listed(**wanted: Any) -> Callable[[Session], object]:
    return lambda session: queries.list_queries(session, QueryFilter(**wanted), limit=50)


Read = Callable[[Session], object]
ORDERED: dict[str, tuple[Read, str]] = {
    "all": (listed(), "ix_queries_tenant_id_kind_created_at_id"),
    "verifications": (listed(kind=QueryKind.VERIFICATION), "ix_queries_tenant_id_kind_created_at_id"),
    "of a workspace": (listed(workspace="w"), "ix_queries_workspace_id_kind_created_at_id"),
    "failed": (listed(status="failed"), "ix_queries_unlucky"),
    "cancelled": (listed(status="cancelled"), "ix_queries_unlucky"),
    "quality": (lambda s: quality.newest_queries(s, None, 100), "ix_queries_tenant_id_kind_created_at_id"),
    "quality of a workspace": (
        lambda s: quality.newest_queries(s, "w", 100),
        "ix_queries_workspace_id_kind_created_at_id",
    ),
}


FEW: dict[str, tuple[Read, str]] = {
    "threads": (lambda s: threads.list_threads(s, search=None, after=None, limit=50), "ix_queries_threads"),
    "queries behind their deadline": (lambda s: budgets.list_overdue(s, 10), "ix_queries_open"),
    "queries that nobody works on": (
        lambda s: queries.list_stalled(s, lease_s=10, stalled_s=60),
        "ix_queries_running",
    ),
}


def test_history_is_read_in_the_order_of_an_index_and_what_is_open_among_it_is_found_by_one(
    database: str, subtests: pytest.Subtests
) -> None:  # A3
    assert database
    with reading() as session:
        some_history(session)  # once: it takes longer than all the plans
        in_order = [(name, plan_of(session, read), index) for name, (read, index) in ORDERED.items()]
        found = [(name, plan_of(session, read), index) for name, (read, index) in FEW.items()]
        session.rollback()
    for name, plan, index in in_order:
        with subtests.test(name):
            assert (
                f"Index Scan Backward using {index} on queries" in plan or f"Only Scan Backward using {index}" in plan
            )
            assert "Sort" not in plan
    for name, plan, index in found:
        with subtests.test(name):
            assert_found_by(index, plan)


def assert_found_by(index: str, plan: str) -> None:
    assert f"using {index}" in plan
    assert "Seq Scan" not in plan.replace("Seq Scan on workspaces", "")


def old_drafts(session: Session) -> None:
    """On a table that Postgres has analysed: in one that it found to be empty every index is as good as another."""
    query_id = make_query(session).id
    some = text("""
        INSERT INTO events (query_id, seq, type, data)
        SELECT :q, 1000 + n, 'draft', '{}' FROM generate_series(1, 300) AS n
    """)
    session.execute(some, {"q": query_id})
    session.execute(text("ANALYZE events"))
    events.drop_old_drafts(session, 60)


OTHERS: dict[str, tuple[Read, str]] = {
    "old drafts": (old_drafts, "ix_events_drafts"),
    "documents": (
        lambda s: documents.list_documents(s, documents.DocumentFilter(), limit=50),
        "ix_documents_tenant_id_created_at_id",
    ),
    "imports": (lambda s: imports.list_imports(s, None, None, limit=50), "ix_imports_tenant_id_created_at_id"),
    "webhooks that are due": (lambda s: deliveries.list_due(s, 2), "ix_webhook_deliveries_d"),
}


@pytest.mark.parametrize(("read", "index"), OTHERS.values(), ids=OTHERS.keys())
def test_what_is_few_is_found_by_an_index(database: str, read: Read, index: str) -> None:  # A3
    assert database
    with reading() as session:
        plan = plan_of(session, read)
        session.rollback()
    assert_found_by(index, plan)


def test_a_scrape_reads_what_is_not_finished_and_nothing_else(database: str) -> None:  # A9
    assert database
    some = text("""
        INSERT INTO queries (id, tenant_id, workspace_id, question, mode, provider, options, status, finished_at)
        SELECT gen_random_uuid(), tenant_id, workspace_id, '', '', '', '{}', 'succeeded', now()
        FROM queries, generate_series(1, 500)
    """)
    outcomes = text("""
        INSERT INTO step_outcomes (query_id, tenant_id, round, step, item, worker, lease_until, value)
        SELECT id, tenant_id, 0, 's', '', '', now(), '{}' FROM queries
    """)
    with reading() as session:
        make_query(session)
        for statement in (some, outcomes, text("ANALYZE queries, step_outcomes")):
            session.execute(statement)
        plan = plan_of(session, metrics.list_levels)
    # If indexes hold nothing else.
    partial = "queries_waiting queries_waiting_items queries_running step_outcomes_parked step_outcomes_running"
    assert [name for name in partial.split() if not re.search(rf"using ix_{name}(_models)? ", plan)] == [], plan
    tables = re.findall(r"Seq Scan on (\w+)", plan)
    assert set(tables) <= {"worker_processes"}
