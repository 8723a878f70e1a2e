"""Documents: the stored text that every offset points into, the uploaded file, the fingerprints by which
near-duplicates are found, and documents that are read again.
"""

import uuid
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, ForeignKeyConstraint, Index, LargeBinary, Numeric, UniqueConstraint, func
from sqlalchemy import text as sql_text
from sqlalchemy.orm import Mapped, mapped_column

from db.base import TENANT_DEFAULT, Base, BigId, CreatedAt, Json, Owned, OwnedKey


class DocumentStatus(StrEnum):
    """States of a document. Only `ready` ones are searched; a `superseded` one was searched until a newer version
    became ready."""

    QUEUED = "queued"
    PROCESSING = "processing"
    READY = "ready"
    FAILED = "failed"
    SUPERSEDED = "superseded"


class Document(Base):
    """A document. `number` counts within the workspace: chunk ids are `doc_<number>::chunk_<index>` (S3.3).

    `version` counts the documents of one name in the order of acceptance. At most one of them is ready. `attempt`
    counts leases by workers, `idle` those since a chunk was last stored.

    `chunks_excluded` of its chunks are not searched. `corrected_from` is the version that this one corrects. `read_s`
    is the duration of the attempt that made it ready, and `read_usd` the cost of its vectors, if there was one.

    `pages_recognised` counts those of `pages_to_recognise` that are done; both are null for a document without scans.

    `launched_at` is when a message for the document was last published; null while it waits for its turn.

    `pages` has [number, start, end], `sections` [title, start, end], `blocks` [kind, start, end, more], `figures`
    [kind, start, end] and `corrections` [start, end, text of the file], in code points of `text`
    (citewell_documents.blocks, citewell_documents.figures, domain.documents.text_marks).
    """

    __tablename__ = "documents"
    __table_args__ = (
        UniqueConstraint("workspace_id", "number"),
        UniqueConstraint("workspace_id", "filename", "version"),
        # Superseded content may be uploaded again as a new version.
        Index(
            "uq_documents_content",
            "workspace_id",
            "filename",
            "sha256",
            unique=True,
            postgresql_where=sql_text("status <> 'superseded'"),
        ),
        Index("ix_documents_workspace_id_sha256", "workspace_id", "sha256"),
        Index("ix_documents_tenant_id_created_at_id", "tenant_id", "created_at", "id"),
        Index(
            "ix_documents_waiting",
            "tenant_id",
            "created_at",
            "id",
            postgresql_where=sql_text("status = 'queued' AND launched_at IS NULL"),
        ),
        Index(
            "ix_documents_waiting_uploads",
            "tenant_id",
            "created_at",
            "id",
            postgresql_where=sql_text("status = 'queued' AND launched_at IS NULL AND right(sha256, 1) <> '~'"),
        ),
        Index(
            "ix_documents_launched",
            "launched_at",
            postgresql_where=sql_text("status = 'queued' AND launched_at IS NOT NULL"),
        ),
        Index("ix_documents_ready_at", "ready_at", postgresql_where=sql_text("ready_at IS NOT NULL")),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    tenant_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("tenants.id", ondelete="CASCADE"), server_default=TENANT_DEFAULT
    )
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"))
    number: Mapped[int]
    filename: Mapped[str]
    source: Mapped[str] = mapped_column(server_default="api-server")
    details: Mapped[Json] = mapped_column("metadata", server_default="{}")
    sha256: Mapped[str]
    version: Mapped[int] = mapped_column(server_default="1")
    superseded_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("documents.id", ondelete="SET NULL"), index=True)
    superseded_at: Mapped[datetime | None]
    size_bytes: Mapped[int]
    status: Mapped[str] = mapped_column(server_default=DocumentStatus.QUEUED, index=True)
    stage: Mapped[str] = mapped_column(server_default="queued")
    chunks_done: Mapped[int] = mapped_column(server_default="0")
    chunks_total: Mapped[int | None]
    chunks_excluded: Mapped[int] = mapped_column(server_default="0")
    corrected_from: Mapped[uuid.UUID | None]
    pages_recognised: Mapped[int | None]
    pages_to_recognise: Mapped[int | None]
    error: Mapped[Json | None]
    attempt: Mapped[int] = mapped_column(server_default="0")
    idle: Mapped[int] = mapped_column(server_default="0")
    lease_until: Mapped[datetime | None]
    launched_at: Mapped[datetime | None]
    text: Mapped[str | None] = mapped_column(deferred=True)
    pages: Mapped[list[list[int]] | None]
    sections: Mapped[list[Any] | None] = mapped_column(deferred=True)
    blocks: Mapped[list[Any] | None] = mapped_column(deferred=True)
    figures: Mapped[list[Any] | None] = mapped_column(deferred=True)
    corrections: Mapped[list[Any] | None] = mapped_column(deferred=True)
    created_at: Mapped[CreatedAt]
    progress_at: Mapped[datetime] = mapped_column(server_default=func.now())
    ready_at: Mapped[datetime | None]
    traceparent: Mapped[str | None]
    read_s: Mapped[float | None]
    read_usd: Mapped[Decimal | None] = mapped_column(Numeric(14, 9))

    @property
    def doc_id(self) -> str:
        """Return `doc_0`, `doc_1`, … within the workspace (S3.3)."""
        return f"doc_{self.number}"


class DocumentFile(Base):
    """The uploaded bytes, so that any ingestion worker can parse them and the text can be extracted again. The bytes of
    a large file may be elsewhere (DocumentObject)."""

    __tablename__ = "document_files"

    document_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    tenant_id: Mapped[Owned]
    content: Mapped[bytes] = mapped_column(LargeBinary)


class StoredObject(Base):
    """A file in a place outside of the database (`originals.store`), announced here before it is written there.

    `loose_since` is set while no document may name the file, by a trigger when a document that did so is deleted. A
    file that stays loose is deleted.
    """

    __tablename__ = "stored_objects"
    __table_args__ = (Index(None, "loose_since", postgresql_where=sql_text("loose_since IS NOT NULL")),)

    tenant_id: Mapped[OwnedKey]
    place: Mapped[str] = mapped_column(primary_key=True)
    sha256: Mapped[str] = mapped_column(primary_key=True)
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    loose_since: Mapped[datetime | None] = mapped_column(server_default=func.now())


class DocumentObject(Base):
    """The reference of a document without a DocumentFile to the stored object that is its file."""

    __tablename__ = "document_objects"
    __table_args__ = (
        ForeignKeyConstraint(
            ["tenant_id", "place", "sha256"],
            ["stored_objects.tenant_id", "stored_objects.place", "stored_objects.sha256"],
        ),
        Index(None, "tenant_id", "place", "sha256"),
    )

    document_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    tenant_id: Mapped[Owned]
    place: Mapped[str]
    sha256: Mapped[str]


class DocumentPage(Base):
    """A page that can be shown as a picture: its size in points, and the packed boxes of its words
    (citewell_documents.boxes). `recognised` has [start, end, confidence] for the lines that were not text in the
    file."""

    __tablename__ = "document_pages"

    document_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    tenant_id: Mapped[Owned]
    width: Mapped[float]
    height: Mapped[float]
    words: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    recognised: Mapped[list[Any] | None] = mapped_column(deferred=True)


class EditKind(StrEnum):
    """The kind of a change to a chunk. A new version inherits exclusions of chunks whose text is the same in it; the
    others end. Corrections end when another file does not contain the corrected text."""

    EXCLUDED = "excluded"
    INCLUDED = "included"
    CORRECTED = "corrected"
    EXCLUSION_KEPT = "exclusion_kept"
    EXCLUSION_ENDED = "exclusion_ended"
    CORRECTION_ENDED = "correction_ended"


class DocumentEdit(Base):
    """A change of a chunk by people, for the history of a document. `made_by` is the id of a key, null without keys.

    A correction belongs to the version that it created, and has the text at `start_index` of the version
    `from_document` before (`before`) and after the change (`after`).
    """

    __tablename__ = "document_edits"

    id: Mapped[BigId]
    tenant_id: Mapped[Owned]
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"))
    document_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), index=True)
    from_document: Mapped[uuid.UUID | None]
    kind: Mapped[str]
    chunk_index: Mapped[int]
    start_index: Mapped[int]
    end_index: Mapped[int]
    before: Mapped[str]
    after: Mapped[str | None]
    reason: Mapped[str | None]
    made_by: Mapped[str | None]
    created_at: Mapped[CreatedAt]


class RecognisedPage(Base):
    """The text that was recognised on a page in these `languages` (citewell_documents.parsing.recognition.rows); null
    before recognition.

    The rows of a document are deleted when it has been read.
    """

    __tablename__ = "recognised_pages"

    document_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    tenant_id: Mapped[Owned]
    languages: Mapped[str]
    content: Mapped[Json | None] = mapped_column(deferred=True)


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


class Reingestion(Base):
    """`total` documents matching `filter` were queued; of those, `unchanged` gave what is stored and got no version."""

    __tablename__ = "reingestions"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    tenant_id: Mapped[Owned]
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"), index=True)
    filter: Mapped[Json]
    total: Mapped[int] = mapped_column(server_default="0")
    unchanged: Mapped[int] = mapped_column(server_default="0")
    created_at: Mapped[CreatedAt]


class ReingestedDocument(Base):
    """A version that is or was read from the file of `of_document`, which it replaces only if it differs."""

    __tablename__ = "reingested_documents"

    document_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    tenant_id: Mapped[Owned]
    reingestion_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("reingestions.id", ondelete="CASCADE"), index=True)
    of_document: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("documents.id", ondelete="SET NULL"), index=True)
