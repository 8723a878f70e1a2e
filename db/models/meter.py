"""Metrics of processes: the last report of each, and the totals of those that ended."""

import uuid
from datetime import datetime

from sqlalchemy import func
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, Json


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
