"""Answers as OpenAI's Responses API keeps them."""

import uuid
from typing import Any

from sqlalchemy import ForeignKey
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CreatedAt, Owned


class StoredResponse(Base):
    """What a client said beside its question, such as `metadata`: read with the response, until it deletes that."""

    __tablename__ = "stored_responses"

    query_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"), primary_key=True)
    tenant_id: Mapped[Owned]
    asked: Mapped[dict[str, Any]] = mapped_column(JSONB)
    created_at: Mapped[CreatedAt]
