"""Lists items that crashed their workers too often, over all tenants, for the operator."""

from typing import Any

from db.queries.runs.parking import list_parked
from db.session import system_transaction


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
