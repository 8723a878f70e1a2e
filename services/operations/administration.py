"""Data and settings for operators, over all tenants: worker processes, the backlog, parked work, weights of tenants."""

from collections.abc import Sequence
from typing import Any

from db.base import row_json
from db.queries.access import keys
from db.queries.admission import backlog, processes
from db.queries.runs.parking import list_parked
from db.session import system_transaction


def read_processes() -> list[dict[str, Any]]:
    """Return the worker processes, including those that died within the last hour without signing off."""
    with system_transaction() as session:
        rows = processes.list_processes(session)
    return [
        {
            **row_json(process, "host pid queues concurrency started_at"),
            "seen_s_ago": round(process.silent_s, 1),
            "alive": process.alive,
        }
        for process in rows
    ]


def read_backlog() -> list[dict[str, Any]]:
    with system_transaction() as session:
        rows = backlog.list_backlog(session)
    return [
        {
            **row_json(waiting, "tenant weight running"),
            "queued": waiting.asked,
            "queued_in_batches": waiting.items,
            "oldest_s": None if waiting.oldest_s is None else round(waiting.oldest_s, 1),
        }
        for waiting in rows
    ]


def read_tenants() -> Sequence[tuple[str, float]]:
    """Return (name, weight) of all tenants."""
    with system_transaction() as session:
        return keys.list_tenants(session)


def change_weight(name: str, weight: float) -> None:
    with system_transaction() as session:
        keys.set_weight(session, name, weight)


def read_parked(limit: int) -> list[dict[str, Any]]:
    with system_transaction() as session:
        rows = list_parked(session, limit)
    return [row_json(parked, "tenant query_id round step item worker reason at") for parked in rows]
