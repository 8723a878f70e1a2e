"""Sources that came with a request, against which an external answer is verified (N2)."""

import uuid
from typing import Any

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, BigId, Json, Owned


class GivenSource(Base):
    """Source `number` of a verification, from 1; `pages` and `sections` as in `documents`, in code points of `text`.

    `document_id` is set when the source is a stored document; `text` is then its text at the time of the request.
    `context` is the context of a document's passage (db.models.chunk) in a re-verification (N6).
    """

    __tablename__ = "given_sources"
    __table_args__ = (UniqueConstraint("query_id", "number"),)

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
