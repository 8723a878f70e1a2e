"""Worker processes: how many are alive, so that admission matches their capacity."""

import uuid
from datetime import datetime

from sqlalchemy import ARRAY, String, func
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base


class WorkerProcess(Base):
    """A process updates its row regularly; one not seen for a while is dead. Belongs to no tenant.

    `concurrency` is the number of messages it handles at a time, `room` the number of queries it can run now
    (workers.processes.capacity); None means the configured number.
    """

    __tablename__ = "worker_processes"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    host: Mapped[str]
    pid: Mapped[int]
    queues: Mapped[list[str]] = mapped_column(ARRAY(String))
    concurrency: Mapped[int]
    started_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    seen_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    room: Mapped[int | None]
