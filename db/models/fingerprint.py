"""Fingerprints of documents in force, by which near-duplicates among them are found."""

import uuid

from sqlalchemy import BigInteger, ForeignKey, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, Owned


class DocumentFingerprint(Base):
    """`near_duplicate_of` is the most similar document of the workspace when this one was read."""

    __tablename__ = "document_fingerprints"

    document_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    tenant_id: Mapped[Owned]
    minima: Mapped[bytes] = mapped_column(LargeBinary)
    near_duplicate_of: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("documents.id", ondelete="SET NULL"), index=True
    )
    similarity: Mapped[float | None]


class FingerprintBand(Base):
    """A band of the fingerprint of a document in force (domain.documents.fingerprints)."""

    __tablename__ = "fingerprint_bands"

    workspace_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    band: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    document_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    tenant_id: Mapped[Owned]
