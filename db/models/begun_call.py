"""Model calls that have begun but are not in the ledger yet: the trace that a killed process leaves."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Identity, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, Owned


class BegunCall(Base):
    """`call` becomes the ledger row if the outcome is never known; `token` is shared by all calls of a running step.

    `worker` held the step's lease when the call began.
    """

    __tablename__ = "begun_calls"

    query_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"), primary_key=True)
    token: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    tenant_id: Mapped[Owned]
    worker: Mapped[str]
    round: Mapped[int]
    step: Mapped[str]
    call: Mapped[dict[str, Any]] = mapped_column(JSONB)
    begun_at: Mapped[datetime] = mapped_column(server_default=func.now())
