"""Standing verification (N7): changes of documents, and their effect on the answers that cite them."""

import uuid
from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, BigId, CreatedAt, Owned


class DocumentChange(Base):
    """A cited document was replaced or, without `replaced_by`, deleted; both a work list and a record.

    `cursor` is the last of its citations that was processed. There are two `passes`: the second finds answers that were
    written from the old version while it was being replaced. `found` counts answers, `reverified` those that are
    verified again. `answer_of` is the only query that it concerns, null for all: its answer was held back meanwhile.
    """

    __tablename__ = "document_changes"
    __table_args__ = (Index("ix_document_changes_open", "due_at", postgresql_where="done_at IS NULL"),)

    id: Mapped[BigId]
    tenant_id: Mapped[Owned]
    document_id: Mapped[uuid.UUID]
    filename: Mapped[str]
    replaced_by: Mapped[uuid.UUID | None]
    answer_of: Mapped[uuid.UUID | None]
    cursor: Mapped[int] = mapped_column(BigInteger, server_default="0")
    passes: Mapped[int] = mapped_column(server_default="0")
    found: Mapped[int] = mapped_column(server_default="0")
    reverified: Mapped[int] = mapped_column(server_default="0")
    due_at: Mapped[datetime] = mapped_column(server_default=func.now())
    created_at: Mapped[CreatedAt]
    done_at: Mapped[datetime | None]


class AnswerValidity(Base):
    """The validity of a published answer: its state, why, and since when. No row means no change.

    `document_id` and `filename` are of the latest change; `reverification` is the verification that it caused.
    """

    __tablename__ = "answer_standings"

    query_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"), primary_key=True)
    tenant_id: Mapped[Owned]
    state: Mapped[str]
    reason: Mapped[str]
    change_id: Mapped[int] = mapped_column(BigInteger)
    document_id: Mapped[uuid.UUID]
    filename: Mapped[str]
    reverification: Mapped[uuid.UUID | None]
    since: Mapped[datetime] = mapped_column(server_default=func.now())
