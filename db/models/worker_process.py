"""Worker processes: which of them live, so that as much work is let in as they can take."""

import uuid
from datetime import datetime

from sqlalchemy import ARRAY, String, func
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base


class WorkerProcess(Base):
    """A process writes its row again and again; one that was not seen for a while is dead. Belongs to no tenant.

    `concurrency` is how many messages it works on at a time, `room` how many queries may run for it now (workers.room);
    None: as many as are configured.
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
