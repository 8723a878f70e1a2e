"""Who leads: one process at a time, elected by a Postgres advisory lock."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

# Any constant will do, as long as nothing else in this database uses it.
_LEADER = 0x43495445


def try_leader_lock(session: Session) -> bool:
    """Take the leader's lock until the end of this transaction; False when another process has it."""
    return bool(session.scalar(select(func.pg_try_advisory_xact_lock(_LEADER))))
