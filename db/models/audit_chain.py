"""The audit of a query: what proves its result, as a chain of hashes (N6)."""

import uuid

from sqlalchemy import ARRAY, ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CreatedAt, Owned


class AuditChain(Base):
    """Written once, when the query ends; Postgres refuses to change it, and deletes it with its query only.

    `records` are canonical JSON, `hashes` the 32 bytes of each of them in order (domain.audit), `head` the last one in
    hexadecimal. What the records have hashes of stands in the tables that it was always in.
    """

    __tablename__ = "audit_chains"

    query_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"), primary_key=True)
    tenant_id: Mapped[Owned]
    format: Mapped[int]
    head: Mapped[str]
    length: Mapped[int]
    records: Mapped[list[str]] = mapped_column(ARRAY(String))
    hashes: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[CreatedAt]
