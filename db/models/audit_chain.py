"""The audit of a query: a hash chain that proves its result (N6)."""

import uuid

from sqlalchemy import ARRAY, ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CreatedAt, Owned


class AuditChain(Base):
    """Written once, when the query ends; Postgres rejects changes and deletes the row only together with its query.

    `records` are canonical JSON, `hashes` holds 32 bytes for each of them in order (domain.audit.chain), `head` is the
    last hash in hexadecimal. The hashed contents stay in their own tables.
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
