"""`python -m benchmarks.cost.history [--rows 1000 1000000]`: what stored history costs, as tables.

A whole stack answers questions beside so many ended queries with outcomes, events, model calls, answers,
verifications, kept replies and deliveries. Whatever asks the database is timed with each size, and the ratio of the
largest to the smallest is printed; then every statement of the whole run that became slower. Times are medians on a
machine that does other things too: look at the ratios. A million takes ten minutes and 5 GB.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

import psycopg
from rich.console import Console
from rich.table import Table
from sqlalchemy import text
from sqlalchemy.orm import Session

from benchmarks.cost.history_rows import fill
from benchmarks.cost.meter import DOCUMENT, Meter, ask, asking, burst, metered_stack
from benchmarks.cost.meter_cost import cost
from benchmarks.load.provider import simulated_provider
from config.settings import settings
from db.models import DEFAULT_TENANT
from db.queries.access import idempotency
from db.queries.admission import admission, backlog, documents
from db.queries.documents import imports
from db.queries.reports import quality
from db.queries.runs import budgets, events, queries, replies
from db.queries.verifications import batches
from db.queries.webhooks import deliveries
from db.session import acting_for, dispose, system_transaction
from tests.e2e.stack import Stack

QUERIES, IN_FLIGHT, TIMES = 12, 4, 15
_GREW = 1.5
_WORTH_A_LOOK_MS = 0.3

Rows = dict[str, float]


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures by name, and (calls, milliseconds) of every statement, with one size of history."""

    rows: int
    figures: Rows
    often: dict[str, tuple[int, float]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost.history", description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 1_000_000], help="ended queries, ascending")
    sizes: list[int] = parser.parse_args().rows
    found: list[Measured] = []
    with (
        simulated_provider() as url,
        metered_stack(asking(url), durable=False) as (stack, meter),
        _inside(stack),
        psycopg.connect(stack.supervisor.database_url.replace("+psycopg", ""), autocommit=True) as database,
    ):
        stack.add_file(DOCUMENT, workspace="bench")
        stack.add_text("other.txt", "Refresh tokens are valid for 30 days.", workspace="rare")
        burst(partial(ask, stack), IN_FLIGHT, IN_FLIGHT)
        have = 0
        for want in sizes:
            started = time.monotonic()
            fill(database, have, want, *_workspaces(database))
            have = want
            Console().print(f"{want:,} queries stored after {time.monotonic() - started:.0f} s", highlight=False)
            found.append(_measure(stack, meter, want))
    _print(found)


@contextmanager
def _inside(stack: Stack) -> Generator[None]:
    """Run Citewell's own queries in the stack's database."""
    with patch.dict(os.environ, CITEWELL_DATABASE_URL=stack.supervisor.database_url):
        settings.cache_clear()
        dispose()
        with acting_for(DEFAULT_TENANT):
            yield
        dispose()
    settings.cache_clear()


def _workspaces(database: psycopg.Connection[Any]) -> tuple[int, int]:
    database.execute("SET citewell.system = 'on'")
    ids: dict[str, int] = dict(database.execute("SELECT name, id FROM workspaces").fetchall())
    return ids["bench"], ids["rare"]


def _measure(stack: Stack, meter: Meter, rows: int) -> Measured:
    one = partial(ask, stack)
    burst(one, IN_FLIGHT, IN_FLIGHT)
    earlier, before = meter.often(), meter.read()
    alone = _median_ms(one, 5)
    burst(one, QUERIES - 5, IN_FLIGHT)
    spent = cost(before, meter.read(), QUERIES)
    figures: Rows = {
        "one query alone, ms": alone,
        "  CPU-ms of the API and workers": spent.citewell_ms,
        "  CPU-ms of Postgres": spent.cpu_ms["postgres"],
        "  statements": spent.statements,
        "  write-ahead log, kB": spent.wal_bytes / 1000,
    }
    figures |= {f"{name}, ms": _median_ms(action, TIMES) for name, action in _actions(stack, one()["id"])}
    return Measured(rows, figures, meter.often(earlier))


def _median_ms(action: Callable[[], object], times: int) -> float:
    found = list[float]()
    for _ in range(times):
        started = time.perf_counter()
        action()
        found.append((time.perf_counter() - started) * 1000)
    return statistics.median(found)


def _actions(stack: Stack, query_id: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the actions that are repeated while history grows."""

    def get(path: str, **params: str) -> Callable[[], object]:
        return lambda: stack.http.get(path, params=params).raise_for_status()

    cursor = stack.http.get("/v1/queries").json()["next_cursor"]
    yield "GET one query", get(f"/v1/queries/{query_id}")
    yield "GET its history", get(f"/v1/queries/{query_id}/verifications")
    yield "list, newest", get("/v1/queries")
    yield "list, next page", get("/v1/queries", cursor=cursor)
    yield "list, failed (1 %)", get("/v1/queries", status="failed")
    yield "list, cancelled (none)", get("/v1/queries", status="cancelled")
    yield "list, running (none)", get("/v1/queries", status="running")
    yield "list, small workspace", get("/v1/queries", workspace="rare")
    yield "list, before all of it (none)", get("/v1/queries", created_before="2020-01-01T00:00:00Z")
    yield "list verifications", get("/v1/verifications")
    mine: dict[str, Callable[[Session], object]] = {
        "admission": lambda session: admission.admit_queries(session, per_process=32, of_batch=8),
        "admission of documents": lambda session: documents.admit_documents(session, older_than_s=10),
        "backlog, as each request": lambda session: backlog.measure(session, per_process=32, most=1000),
        "backlog, as people see it": backlog.list_backlog,
        "reconciler: overdue": lambda session: budgets.list_overdue(session, 30),
        "reconciler: stalled": lambda session: queries.list_stalled(session, lease_s=10, stalled_s=60),
        "reconciler: imports": lambda session: imports.list_unstarted_imports(session, older_than_s=10),
        "reconciler: batches": batches.list_cancelling_batches,
        "webhooks that are due": lambda session: deliveries.list_due(session, 2),
        "kept replies, 10 keys": lambda session: session.execute(
            text("SELECT * FROM find_replies_v1(:tenant, :keys, 60, NULL, NULL, NULL, NULL, NULL)"),
            {"tenant": DEFAULT_TENANT, "keys": [bytes([n]) * 32 for n in range(10)]},
        ),
        "quality: the newest 100": lambda session: quality.newest_queries(session, None, 100),
        "quality: of a small workspace": lambda session: quality.newest_queries(session, "rare", 100),
        "tidying: old drafts": lambda session: events.drop_old_drafts(session, 3600),
        "tidying: keys": idempotency.delete_old_keys,
        "tidying: replies": lambda session: replies.drop_old_replies(session, 604_800),
    }
    for name, look in mine.items():
        yield name, partial(_looked, look)


def _looked(look: Callable[[Session], object]) -> None:
    with system_transaction() as session:
        look(session)


def _print(found: Sequence[Measured]) -> None:
    least, most = found[0], found[-1]
    table = Table("what", title="Beside so many ended queries")
    for each in found:
        table.add_column(f"{each.rows:,}", justify="right")
    table.add_column("ratio", justify="right")
    for name in least.figures:
        values = [each.figures[name] for each in found]
        table.add_row(name, *(f"{value:,.1f}" for value in values), f"{values[-1] / max(values[0], 0.001):.2f}")
    Console(width=120).print(table)
    slower = Table("ms", "was", "calls", "statement", title="Statements that became slower")
    for statement, (calls, spent) in sorted(most.often.items(), key=lambda item: -item[1][1]):
        known_calls, known_spent = least.often.get(statement, (0, 0.0))
        now, was = spent / max(1, calls), known_spent / max(1, known_calls)
        if known_calls and calls and now > max(_WORTH_A_LOOK_MS, _GREW * was):
            slower.add_row(f"{now:.2f}", f"{was:.2f}", f"{calls}", statement)
    Console(width=160).print(slower)


if __name__ == "__main__":
    main()
