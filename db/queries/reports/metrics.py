"""Levels of waiting and running work for a scrape: one statement over partial indexes of unfinished rows.

Finished rows cost nothing here, however many there are. Counts stop at MOST.
"""

from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from db.queries.admission.admission import DEAD_AFTER_S

MOST = 100_000


class Level(NamedTuple):
    """A gauge's value; `label` distinguishes gauges of the same name."""

    name: str
    label: str
    value: float


def _counted(name: str, label: str, rows: str, since: str = "") -> str:
    column = since or "NULL::timestamptz"
    return (
        f"SELECT '{name}' AS name, '{label}' AS label, count(*)::float8 AS value, min(at) AS since "  # noqa: S608
        f"FROM (SELECT {column} AS at FROM {rows} LIMIT {MOST}) AS found"
    )


_OLDEST = {"queries": "query", "documents": "document", "graphs": "graph", "webhook_deliveries": "webhook_delivery"}
_PARTS = (
    _counted("queries", "queued", "queries WHERE status = 'queued' AND batch_id IS NULL", "created_at"),
    _counted("queries", "queued_in_batches", "queries WHERE status = 'queued' AND batch_id IS NOT NULL", "created_at"),
    _counted("queries", "running", "queries WHERE status = 'running'", "started_at"),
    _counted("documents", "queued", "documents WHERE status = 'queued'", "progress_at"),
    _counted("documents", "processing", "documents WHERE status = 'processing'", "progress_at"),
    _counted("graphs", "queued", "document_graphs WHERE status = 'queued'", "progress_at"),
    _counted("graphs", "building", "document_graphs WHERE status = 'building'", "progress_at"),
    _counted("webhook_deliveries", "pending", "webhook_deliveries WHERE status = 'pending'"),
    _counted(
        "webhook_deliveries",
        "due",
        "webhook_deliveries WHERE status = 'pending' AND next_attempt_at <= now()",
        "next_attempt_at",
    ),
    _counted("parked_items", "", "step_outcomes WHERE parked_at IS NOT NULL", "parked_at"),
    """
    SELECT 'claims', CASE WHEN worker = '' THEN 'put_off' WHEN lease_until < now() THEN 'expired' ELSE 'held' END,
           count(*)::float8, NULL::timestamptz
    FROM step_outcomes WHERE value IS NULL GROUP BY 2
    """,
    """
    SELECT 'workers', queue, count(*)::float8, NULL::timestamptz FROM worker_processes, unnest(queues) AS queue
    WHERE seen_at > clock_timestamp() - make_interval(secs => :dead_after) GROUP BY queue
    """,
)
_LEVELS = text(
    "SELECT name, label, value, extract(epoch FROM clock_timestamp() - since)::float8 FROM ("  # noqa: S608
    + " UNION ALL ".join(_PARTS)
    + ") AS levels (name, label, value, since)"
)


def list_levels(session: Session) -> list[Level]:
    """Return every level; `…_oldest_seconds` is omitted where there are no rows."""
    levels: list[Level] = []
    for name, label, value, oldest_s in session.execute(_LEVELS, {"dead_after": DEAD_AFTER_S}):
        levels.append(Level(name, label, value))
        if oldest_s is not None:
            levels.append(Level(f"{_OLDEST.get(name, name)}_oldest_seconds", label, max(oldest_s, 0.0)))
    return levels
