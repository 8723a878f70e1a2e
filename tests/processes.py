"""Worker processes reported as live."""

import uuid
from collections.abc import Generator
from contextlib import contextmanager

from db.queries.admission import processes
from db.session import system_transaction


@contextmanager
def living(*queues: str, concurrency: int = 1, room: int | None = None) -> Generator[uuid.UUID]:
    """A process that serves these queues and has `room` for queries, for the length of the block; yields its id."""
    process = uuid.uuid4()
    with system_transaction() as session:
        processes.record_heartbeat(session, process, "host", 1, queues, concurrency, room)
    yield process
    with system_transaction() as session:
        processes.delete_process(session, process)
