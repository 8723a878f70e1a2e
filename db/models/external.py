"""Answers from other systems (N2): the sources that came with a request, also with a question (N9), and batches of
verifications."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint
from sqlalchemy import text as sql
from sqlalchemy.orm import Mapped, mapped_column

from db.base import TENANT_DEFAULT, Base, BigId, CreatedAt, Json, Owned


class Batch(Base):
    """A batch; its items are the queries with its id, and `total` counts them. Few of them run at a time, so that
    interactive queries go first."""

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


class GivenSource(Base):
    """Source `number` of a verification, from 1, or of a question that is answered from the texts that came with it;
    `pages` and `sections` as in `documents`, in code points of `text`.

    `document_id` is set when the source is a stored document; `text` is then its text at the time of the request.
    `context` is the context of a document's passage (db.models.chunk) in a re-verification (N6). A text of a question
    has the [start, end] of its `passages`, and its `document_id` is the id that citations name it by, which no document
    has.
    """

    __tablename__ = "given_sources"
    __table_args__ = (
        UniqueConstraint("query_id", "number"),
        Index(None, "document_id", postgresql_where=sql("passages IS NOT NULL")),
    )

    id: Mapped[BigId]
    tenant_id: Mapped[Owned]
    query_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"))
    number: Mapped[int]
    title: Mapped[str]
    url: Mapped[str | None]
    document_id: Mapped[uuid.UUID | None]
    details: Mapped[Json] = mapped_column("metadata", server_default="{}")
    text: Mapped[str]
    pages: Mapped[list[list[int]] | None]
    sections: Mapped[list[Any] | None]
    context: Mapped[str | None]
    passages: Mapped[list[list[int]] | None]
