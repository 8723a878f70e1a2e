"""Leader election through a Postgres advisory lock: one process leads at a time."""

from enum import IntEnum

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

# A suspended leader (SIGSTOP, a sleeping machine) would otherwise block every other candidate.
_NOT_FOR_LONG = text("SET LOCAL idle_in_transaction_session_timeout = '5s'")
_BRIEFLY = text("SET LOCAL lock_timeout = '1s'")


class Leader(IntEnum):
    """Roles with a leader; the values are arbitrary but unique in this database."""

    RECONCILER = 0x43495445
    DISPATCHER = 0x43495446


def try_leader_lock(session: Session, leader: Leader = Leader.RECONCILER) -> bool:
    """Take the leader's lock until this transaction ends; False when another process holds it."""
    session.execute(_NOT_FOR_LONG)
    return bool(session.scalar(select(func.pg_try_advisory_xact_lock(leader.value))))


def wait_briefly(session: Session) -> None:
    """Make this transaction give up on rows that another one holds for more than a second: DatabaseUnavailable."""
    session.execute(_BRIEFLY)
