"""Processes: the workers that are alive, and the metrics of all processes, including ended ones."""

import uuid
from datetime import datetime

from sqlalchemy import ARRAY, String, func
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, Json


class WorkerProcess(Base):
    """A worker process. It updates its row regularly; a process that has not done so for a while is dead. Belongs to no
    tenant.

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


class ProcessMeter(Base):
    """The counts of one process since its start, and its share of the gauges. Belongs to no tenant."""

    __tablename__ = "process_meters"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    counts: Mapped[Json]
    gauges: Mapped[Json]
    seen_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())


class MeterTotal(Base):
    """Sums over ended processes: one row per series, however many processes have ended."""

    __tablename__ = "meter_totals"

    family: Mapped[str] = mapped_column(primary_key=True)
    labels: Mapped[str] = mapped_column(primary_key=True)
    place: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[float]
