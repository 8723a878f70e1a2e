"""What the waiting lines of queries and of documents have in common."""

from enum import IntEnum

from sqlalchemy import func, select
from sqlalchemy.orm import Session

DEAD_AFTER_S = 15.0
"""A worker process without a heartbeat for this long counts as dead."""

AT_A_TIME = 32
"""Most rows admitted at once: whatever cannot be published has to be undone."""


class Line(IntEnum):
    """The values are advisory lock numbers, as in db.queries.admission.processes."""

    QUERIES = 0x43495447
    DOCUMENTS = 0x43495448


def lock_line(session: Session, line: Line) -> None:
    # Planning admission takes ten times as long as running it, and its plan does not depend on the values.
    planned_once = func.set_config("plan_cache_mode", "force_generic_plan", True)
    # The commit does not wait for the disk: an admission that a crash undoes is made again, and its message is stale.
    unflushed = func.set_config("synchronous_commit", "off", True)
    session.execute(select(planned_once, unflushed, func.pg_advisory_xact_lock(line.value)))


def tenants_waiting(name: str, table: str, which: str) -> str:
    """A part of a WITH RECURSIVE: the tenants that have such rows waiting, for the price of an index entry each."""
    waiting = f"SELECT tenant_id FROM {table} WHERE status = 'queued' AND {which}"  # noqa: S608 - constants
    return f"""{name} (tenant_id) AS (
    ({waiting} ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT following.tenant_id FROM {name} CROSS JOIN LATERAL (
        {waiting} AND tenant_id > {name}.tenant_id ORDER BY tenant_id LIMIT 1
    ) AS following
)"""  # noqa: S608 - constants
