"""Judgements of answers by people, and links that open an answer without a key."""

import uuid
from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CreatedAt, Owned


class Feedback(Base):
    """One person's judgement of an answer, of one of its sentences, or of one of its citations.

    `position` counts from 0 in the sentences or citations of the result; `excerpt` has the words there. `verdict` is
    about the answer and its sources, `relevant` about the answer and its question, independently of each other.
    `reasons` are the rules of the workspace that put the answer into the queue; None: a person gave the judgement.
    """

    __tablename__ = "feedback"
    __table_args__ = (
        Index(None, "tenant_id", "created_at", "id"),
        Index(None, "tenant_id", "status", "created_at", "id"),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    tenant_id: Mapped[Owned]
    query_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"), index=True)
    place: Mapped[str]
    position: Mapped[int | None]
    excerpt: Mapped[str | None]
    rating: Mapped[str | None]
    verdict: Mapped[str | None]
    relevant: Mapped[str | None]
    reason: Mapped[str | None]
    corrected: Mapped[str | None]
    reasons: Mapped[list[str] | None]
    author: Mapped[str | None]
    status: Mapped[str] = mapped_column(server_default="open")
    reviewed_by: Mapped[str | None]
    reviewed_at: Mapped[datetime | None]
    created_at: Mapped[CreatedAt]


class SharedAnswer(Base):
    """A link to an answer that is valid without a key; only the digest of its token is stored."""

    __tablename__ = "shared_answers"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    tenant_id: Mapped[Owned]
    query_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str]
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    created_at: Mapped[CreatedAt]
