"""Batches: many verifications submitted as one file (N2)."""

import uuid
from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from db.base import TENANT_DEFAULT, Base, CreatedAt


class Batch(Base):
    """Its items are the queries with its id; `total` counts them. Few run at a time, so that interactive queries go
    first.
    """

    __tablename__ = "batches"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    tenant_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("tenants.id", ondelete="CASCADE"), server_default=TENANT_DEFAULT, index=True
    )
    total: Mapped[int]
    callback_url: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    cancelled_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
