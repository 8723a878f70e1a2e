"""Answers and their citations as published, the audit that proves a result (N6), and the effect of changes of documents
on the answers that cite them (standing verification, N7).
"""

import uuid
from datetime import datetime

from sqlalchemy import ARRAY, BigInteger, ForeignKey, Index, LargeBinary, String, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, BigId, CreatedAt, Owned


class Answer(Base):
    """The answer of one round: the model's text, and the text that remained after the checks."""

    __tablename__ = "answers"
    __table_args__ = (UniqueConstraint("query_id", "round"),)

    id: Mapped[BigId]
    tenant_id: Mapped[Owned]
    query_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"))
    round: Mapped[int]
    text: Mapped[str]
    original_text: Mapped[str]
    abstained: Mapped[bool]
    abstain_reason: Mapped[str | None]
    model: Mapped[str | None]
    references: Mapped[list[str]]
    removed_citations: Mapped[list[int]]
    edits: Mapped[list[dict[str, object]]]
    created_at: Mapped[CreatedAt]


class Citation(Base):
    """One marker in one sentence (S4.2, S3.3, N3).

    `text_span` equals the document's text at `source_start:source_end`; `claim_text` equals the answer's text at
    `answer_start:answer_end`. The source is copied here, so that a citation stays readable when its document is
    deleted.
    """

    __tablename__ = "citations"
    __table_args__ = (
        UniqueConstraint("answer_id", "position"),
        Index(None, "document_id"),
        # N7: for reading the citations of a document in batches.
        Index(None, "document_id", "id"),
    )

    id: Mapped[BigId]
    tenant_id: Mapped[Owned]
    answer_id: Mapped[int] = mapped_column(ForeignKey("answers.id", ondelete="CASCADE"))
    position: Mapped[int]
    number: Mapped[int]
    document_id: Mapped[uuid.UUID]
    document_name: Mapped[str]
    doc_id: Mapped[str]
    chunk_id: Mapped[str]
    chunk_index: Mapped[int]
    start_index: Mapped[int]
    source: Mapped[str]
    page_number: Mapped[int | None]
    section: Mapped[str | None]
    text_span: Mapped[str]
    source_start: Mapped[int]
    source_end: Mapped[int]
    claim_text: Mapped[str]
    answer_start: Mapped[int]
    answer_end: Mapped[int]
    citation_type: Mapped[str]
    confidence_score: Mapped[float]
    status: Mapped[str]
    explanation: Mapped[str]


class AuditChain(Base):
    """The sealed audit, written once when the query ends; Postgres rejects changes and deletes the row only together
    with its query.

    `records` are canonical JSON, `hashes` has 32 bytes for each of them in order (domain.audit.chain), `head` is the
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
