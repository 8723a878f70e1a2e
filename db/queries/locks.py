"""Who leads: one process at a time, elected by a Postgres advisory lock."""

from enum import IntEnum

from sqlalchemy import func, select
from sqlalchemy.orm import Session


class Leader(IntEnum):
    """What is led. Any numbers will do, as long as nothing else in this database uses them."""

    RECONCILER = 0x43495445
    DISPATCHER = 0x43495446


def try_leader_lock(session: Session, leader: Leader = Leader.RECONCILER) -> bool:
    """Take the leader's lock until the end of this transaction; False when another process has it."""
    return bool(session.scalar(select(func.pg_try_advisory_xact_lock(leader.value))))
