"""What processes count: as each of them told last, and what those that ended have left."""

import uuid
from datetime import datetime

from sqlalchemy import func
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, Json


class ProcessMeter(Base):
    """What one process has counted since it began, and its part of the gauges. Belongs to no tenant."""

    __tablename__ = "process_meters"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    counts: Mapped[Json]
    gauges: Mapped[Json]
    seen_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())


class MeterTotal(Base):
    """The sum of what ended processes have counted: as many rows as there are series, however many processes ended."""

    __tablename__ = "meter_totals"

    family: Mapped[str] = mapped_column(primary_key=True)
    labels: Mapped[str] = mapped_column(primary_key=True)
    place: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[float]
