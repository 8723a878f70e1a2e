"""Runs of sources as workers do them, and what came of them."""

import uuid
from typing import Any

import pytest
from sqlalchemy import select

from citewell_verify.embeddings.wheel import default_embedder
from config.settings import IngestionSettings, settings
from db.models import Document, DocumentFile, DocumentStatus
from db.queries.documents import sources as rows
from db.queries.documents.ingestion import claim_document
from db.session import reading, transaction
from domain.documents.sources import SourceOptions
from services.documents.indexing import put_in_force
from services.documents.ingestion import ingest
from services.sources.running import run_source
from services.sources.setup import NewSource, create_source, read_source
from tests.leases import hold

Json = dict[str, Any]


def set_up(kind: Any, location: str, name: str = "s", every_s: int | None = None, **options: Any) -> uuid.UUID:
    new = NewSource(name, kind, location, "w", every_s, SourceOptions(**options))
    return uuid.UUID(create_source(new, settings())["id"])


def look(source_id: uuid.UUID) -> Json:
    """One slice of a run."""
    run_source(source_id, settings(), hold, lambda: None)
    return read_source(source_id)


def run(source_id: uuid.UUID, slices: int = 200, *, really: bool = False) -> Json:
    """A whole run; documents are put in force between its slices, or `really` read."""
    with transaction() as session:
        rows.make_due(session, source_id)
    for _ in range(slices):
        seen = look(source_id)
        (read_all if really else put_all_in_force)()
        if seen["phase"] == "idle":
            return read_source(source_id)
    raise AssertionError(f"it does not end: {read_source(source_id)}")


def read_all() -> None:
    for document_id in _waiting():
        ingest(document_id, default_embedder(), IngestionSettings(), hold)


def put_all_in_force() -> None:
    """As ingestion does at its end; reading a file takes a process of its own."""
    for document_id in _waiting():
        with transaction() as session:
            claim = claim_document(session, document_id, 10)
            assert claim
            put_in_force(session, document_id, claim.attempt)


def _waiting() -> list[uuid.UUID]:
    with reading() as session:
        return list(session.scalars(select(Document.id).where(Document.status == DocumentStatus.QUEUED)))


def items(seen: Json) -> Json:
    """The outcomes that there are, without the sum."""
    return {outcome: count for outcome, count in seen["items"].items() if count and outcome != "listed"}


def files(status: str = DocumentStatus.READY) -> dict[str, str]:
    """The file of each document in this state, by name."""
    with reading() as session:
        found = select(Document.filename, DocumentFile.content).join(DocumentFile)
        rows = session.execute(found.where(Document.status == status).order_by(Document.number))
        return {name: content.decode() for name, content in rows}


def configure(patch: pytest.MonkeyPatch, **values: str) -> None:
    for name, value in values.items():
        patch.setenv(f"CITEWELL_SOURCES__{name.upper()}", value)
    settings.cache_clear()
