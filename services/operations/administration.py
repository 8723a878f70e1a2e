"""What operators look at and set, over all tenants: worker processes, the backlog, parked work, weights of tenants."""

from collections.abc import Sequence
from typing import Any

from db.queries.access import keys
from db.queries.admission import backlog, processes
from db.queries.runs.parking import list_parked
from db.session import system_transaction


def read_processes() -> list[dict[str, Any]]:
    # With those that died within the last hour without signing off.
    with system_transaction() as session:
        found = processes.list_processes(session)
    return [
        {
            "host": each.host,
            "pid": each.pid,
            "queues": list(each.queues),
            "concurrency": each.concurrency,
            "started_at": each.started_at.isoformat(),
            "seen_s_ago": round(each.silent_s, 1),
            "alive": each.alive,
        }
        for each in found
    ]


def read_backlog() -> list[dict[str, Any]]:
    with system_transaction() as session:
        found = backlog.list_backlog(session)
    return [
        {
            "tenant": each.tenant,
            "weight": each.weight,
            "queued": each.asked,
            "queued_in_batches": each.items,
            "running": each.running,
            "oldest_s": None if each.oldest_s is None else round(each.oldest_s, 1),
        }
        for each in found
    ]


def read_tenants() -> Sequence[tuple[str, float]]:
    """(name, weight) of all tenants."""
    with system_transaction() as session:
        return keys.list_tenants(session)


def change_weight(name: str, weight: float) -> None:
    with system_transaction() as session:
        keys.set_weight(session, name, weight)


def read_parked(limit: int) -> list[dict[str, Any]]:
    with system_transaction() as session:
        found = list_parked(session, limit)
    return [
        {
            "tenant": each.tenant,
            "query_id": str(each.query_id),
            "round": each.round,
            "step": each.step,
            "item": each.item,
            "worker": each.worker,
            "reason": each.reason,
            "at": each.parked_at.isoformat(),
        }
        for each in found
    ]
