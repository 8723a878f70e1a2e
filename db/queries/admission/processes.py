"""Worker processes: their heartbeats, and the election of a leader through a Postgres advisory lock."""

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import IntEnum
from typing import NamedTuple

from sqlalchemy import ARRAY, String, cast, delete, func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from db.models import WorkerProcess
from db.queries.admission.admission import DEAD_AFTER_S

_SHOWN_FOR = timedelta(hours=1)


class Process(NamedTuple):
    """A worker process, last seen `silent_s` seconds ago."""

    host: str
    pid: int
    queues: Sequence[str]
    concurrency: int
    started_at: datetime
    silent_s: float

    @property
    def alive(self) -> bool:
        return self.silent_s < DEAD_AFTER_S


class ServedQueue(NamedTuple):
    """A queue, and the number of live processes that serve it. Of these the `helpers` serve only some of the queues of
    the process that asks: their model calls are free for its work."""

    name: str
    processes: int
    helpers: int


def record_heartbeat(
    session: Session,
    process_id: uuid.UUID,
    host: str,
    pid: int,
    queues: Sequence[str],
    concurrency: int,
    room: int | None = None,
) -> None:
    row = insert(WorkerProcess).values(
        id=process_id, host=host, pid=pid, queues=list(queues), concurrency=concurrency, room=room
    )
    seen = {"seen_at": func.clock_timestamp(), "room": room}
    session.execute(row.on_conflict_do_update(index_elements=[WorkerProcess.id], set_=seen))


def list_served_queues(session: Session, queues: Sequence[str]) -> list[ServedQueue]:
    """Return the queues of all live processes, seen from a process that serves `queues`."""
    is_alive = WorkerProcess.seen_at > func.clock_timestamp() - timedelta(seconds=DEAD_AFTER_S)
    serves_some = ~WorkerProcess.queues.bool_op("@>")(cast(list(queues), ARRAY(String)))
    queue = func.unnest(WorkerProcess.queues).label("queue")
    live = select(queue, serves_some.label("helps")).where(is_alive).subquery()
    counts = func.count(), func.count().filter(live.c.helps)
    rows = session.execute(select(live.c.queue, *counts).group_by(live.c.queue))
    return [ServedQueue(*row) for row in rows]


def delete_process(session: Session, process_id: uuid.UUID) -> None:
    session.execute(delete(WorkerProcess).where(WorkerProcess.id == process_id))


def delete_dead_processes(session: Session) -> None:
    session.execute(delete(WorkerProcess).where(WorkerProcess.seen_at < func.now() - _SHOWN_FOR))


def list_processes(session: Session) -> list[Process]:
    silent = func.extract("epoch", func.clock_timestamp() - WorkerProcess.seen_at)
    rows = session.execute(
        select(
            WorkerProcess.host,
            WorkerProcess.pid,
            WorkerProcess.queues,
            WorkerProcess.concurrency,
            WorkerProcess.started_at,
            silent,
        ).order_by(WorkerProcess.host, WorkerProcess.started_at)
    )
    return [Process(host, pid, queues, many, started, float(ago)) for host, pid, queues, many, started, ago in rows]


_BRIEFLY = text("SET LOCAL lock_timeout = '1s'")


class Leader(IntEnum):
    """Roles with a leader; the values are arbitrary but unique in this database."""

    RECONCILER = 0x43495445
    DISPATCHER = 0x43495446
    SOURCES = 0x43495449


def try_leader_lock(session: Session, leader: Leader = Leader.RECONCILER) -> bool:
    """Take the leader's lock until this transaction ends; False when another process holds it."""
    # A suspended leader (SIGSTOP, a sleeping machine) would otherwise block every other candidate.
    not_for_long = func.set_config("idle_in_transaction_session_timeout", "5s", True)
    return session.execute(select(func.pg_try_advisory_xact_lock(leader.value), not_for_long)).one()[0]


def wait_briefly(session: Session) -> None:
    """Make this transaction give up, with DatabaseUnavailable, on rows that another one holds for more than a
    second."""
    session.execute(_BRIEFLY)
