"""Who leads: one process at a time, elected by a Postgres advisory lock."""

from enum import IntEnum

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

# A leader that is stopped in the middle (SIGSTOP, a machine that sleeps) would keep everybody else from leading.
_NOT_FOR_LONG = text("SET LOCAL idle_in_transaction_session_timeout = '5s'")
_BRIEFLY = text("SET LOCAL lock_timeout = '1s'")


class Leader(IntEnum):
    """What is led. Any numbers will do, as long as nothing else in this database uses them."""

    RECONCILER = 0x43495445
    DISPATCHER = 0x43495446


def try_leader_lock(session: Session, leader: Leader = Leader.RECONCILER) -> bool:
    """Take the leader's lock until the end of this transaction; False when another process has it."""
    session.execute(_NOT_FOR_LONG)
    return bool(session.scalar(select(func.pg_try_advisory_xact_lock(leader.value))))


def wait_briefly(session: Session) -> None:
    """Let this transaction give up on rows that another one holds for more than a second: DatabaseUnavailable."""
    session.execute(_BRIEFLY)
