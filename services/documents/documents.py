"""Accepts, reads and removes documents. Workers ingest them (services.documents.ingestion)."""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from citewell_documents.errors import PERMANENT, DocumentEmpty, DocumentTooLarge, DocumentTypeUnknown
from citewell_verify.errors import BadInput
from clients.telemetry import tracing
from config.settings import Settings
from db.base import row_json
from db.models import Document, DocumentStatus
from db.queries.access.workspaces import get_or_add_workspace, lock_workspace, workspace_name_of
from db.queries.documents import documents as rows
from db.queries.documents import versions
from db.queries.documents.boxes import list_page_sizes
from db.queries.documents.documents import DocumentFilter
from db.queries.documents.fingerprints import NearDuplicate, near_duplicates
from db.queries.documents.graph_jobs import GraphState, graph_states
from db.queries.documents.graph_storing import delete_document_graph
from db.queries.documents.reingestions import delete_waiting, digest_of
from db.queries.paging import Place
from db.queries.verifications.answer_validity import record_deletion
from db.queries.verifications.external_sources import find_attached_text
from db.session import reading, transaction
from domain.documents.text_marks import restored
from domain.errors.missing import OriginalNotFound
from domain.errors.state import DocumentNotFailed
from services.documents.files import read_file, write_outside


@dataclass(frozen=True, slots=True)
class NewDocument:
    """An uploaded file; every citation has its `metadata` (ticker, year, filing_type, title, …)."""

    filename: str
    content: bytes
    workspace: str = "default"
    source: str = "api-server"
    metadata: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """`created` is False when the workspace already had this file under this name.

    `same_as` is a document with the same bytes under another name.
    """

    document_id: uuid.UUID
    created: bool
    needs_work: bool
    same_as: uuid.UUID | None = None


def accept_document(new: NewDocument, settings: Settings) -> Accepted:
    """Store the file as queued; the caller then publishes the ingestion.

    The same bytes under the same name are the same document: metadata is merged, and a failed one is retried. Other
    bytes are its next version.
    Raises DocumentEmpty, DocumentTooLarge, DocumentTypeUnknown, BadInput, DatabaseUnavailable, OriginalUnavailable.
    """
    _check(new, settings)
    digest = hashlib.sha256(new.content).hexdigest()
    # A stored file is written again, too, which restores a damaged one.
    place = write_outside(new.content, digest)
    with transaction() as session:
        workspace = get_or_add_workspace(session, new.workspace)
        lock_workspace(session, workspace.id)
        others = versions.lock_versions(session, workspace.id, new.filename)
        known = versions.find_live(others, digest)
        if known is not None:
            rows.merge_details(session, known.id, new.metadata or {})
            versions.make_newest(session, known, others)
            retry = known.status == DocumentStatus.FAILED
            if retry:
                rows.requeue_document(session, known.id)
            return Accepted(known.id, created=False, needs_work=retry)
        document = rows.add_document(
            session,
            workspace.id,
            filename=new.filename,
            content=new.content,
            sha256=digest,
            source=new.source,
            details=new.metadata or {},
            version=versions.next_version(others),
            traceparent=tracing.traceparent(),
            place=place,
        )
        twin = versions.find_twin(session, workspace.id, new.filename, digest)
        return Accepted(document.id, created=True, needs_work=True, same_as=twin)


def read_document(document_id: uuid.UUID) -> dict[str, Any]:
    with reading() as session:
        document = rows.get_document(session, document_id)
        name = workspace_name_of(session, document)
        return documents_json(session, [(document, name)])[0]


def read_documents(
    wanted: DocumentFilter, *, after: Place | None = None, limit: int
) -> tuple[list[dict[str, Any]], int]:
    """Return one page of documents, and the number of documents on all pages."""
    with reading() as session:
        documents = rows.list_documents(session, wanted, after=after, limit=limit)
        return documents_json(session, documents), rows.count_documents(session, wanted)


def read_versions(document_id: uuid.UUID) -> list[dict[str, Any]]:
    with reading() as session:
        documents = versions.list_versions(session, document_id)
        workspace = workspace_name_of(session, documents[0])
        return documents_json(session, [(document, workspace) for document in documents])


def read_document_text(document_id: uuid.UUID) -> str | None:
    """Return the stored text of a document, or of a text that came with a question, which citations name in the same
    way. Raises DocumentNotFound."""
    with reading() as session:
        attached = find_attached_text(session, document_id)
        return rows.get_document_text(session, document_id) if attached is None else attached


def read_original(document_id: uuid.UUID) -> tuple[str, bytes]:
    """Return the name and the bytes of a document's file. Raises DocumentNotFound, OriginalNotFound,
    OriginalUnavailable, OriginalDamaged."""
    with reading() as session:
        filename = rows.get_document(session, document_id).filename
    content = read_file(document_id)
    if content is None:
        raise OriginalNotFound
    return filename, content


def read_document_layout(document_id: uuid.UUID) -> dict[str, Any] | None:
    with reading() as session:
        document = rows.get_document(session, document_id)
        characters, sections = rows.get_text_length(session, document_id), document.sections
        sizes = list_page_sizes(session, document_id)
        corrected = restored(document.corrections)
    if characters is None:
        return None
    return {
        "characters": characters,
        "pages": [page_json(page, sizes.get(page[0])) for page in document.pages or []],
        "sections": [dict(zip(("title", "start", "end"), section, strict=True)) for section in sections or []],
        "corrections": [span._asdict() for span in sorted(corrected)],
    }


def retry_document(document_id: uuid.UUID) -> None:
    """Queue a failed document again; the caller then publishes it.

    Raises DocumentNotFound, DocumentNotFailed.
    """
    with transaction() as session:
        document = rows.get_document(session, document_id)
        if document.status != DocumentStatus.FAILED:
            raise DocumentNotFailed(f"The document's status is {document.status!r}; only a failed one is tried again.")
        rows.requeue_document(session, document_id)


def remove_document(document_id: uuid.UUID, *, all_versions: bool = False) -> None:
    """Delete a document with its chunks and its own contributions to the graph; answers keep their copies of the words
    that they cite.

    Other versions stay unchanged: superseded ones are history, and none of them is searched again.
    """
    with transaction() as session:
        document = rows.get_document(session, document_id)
        gone = versions.list_versions(session, document_id) if all_versions else [document]
        record_deletion(session, [version.id for version in gone])
        delete_waiting(session, [version.id for version in gone])
        for version in gone:
            delete_document_graph(session, document.workspace_id, version.id)
        (versions.delete_versions if all_versions else rows.delete_document)(session, document_id)


def _check(new: NewDocument, settings: Settings) -> None:
    if new.filename.lower().endswith(".zip"):
        raise DocumentTypeUnknown(f"{new.filename} is an archive; send it to /v1/imports, which takes the files in it.")
    if not new.content:
        raise DocumentEmpty(f"{new.filename} is empty.")
    if len(new.content) > settings.ingestion.max_bytes:
        raise DocumentTooLarge(
            f"{new.filename} has {len(new.content):,} bytes; the limit is {settings.ingestion.max_bytes:,}."
        )
    if not new.filename.strip() or "\x00" in new.filename or len(new.filename) > 255:
        raise BadInput("The file name is empty, longer than 255 characters or contains a NUL character.")
    if not new.workspace.strip() or "\x00" in new.workspace or len(new.workspace) > 100:
        raise BadInput("The workspace name is empty, longer than 100 characters or contains a NUL character.")


def documents_json(session: Session, documents: Sequence[tuple[Document, str]]) -> list[dict[str, Any]]:
    ids = [document.id for document, _ in documents]
    graphs, near = graph_states(session, ids), near_duplicates(session, ids)
    return [
        _document_json(document, name, graphs.get(document.id), near.get(document.id)) for document, name in documents
    ]


def _document_json(
    document: Document, workspace: str, graph: GraphState | None, near: NearDuplicate | None
) -> dict[str, Any]:
    return {
        **row_json(document, "id doc_id filename source size_bytes version status stage chunks_excluded error"),
        **row_json(document, "corrected_from created_at ready_at superseded_by superseded_at"),
        "workspace": workspace,
        "metadata": document.details,
        "sha256": digest_of(document),
        "progress": row_json(document, "chunks_done chunks_total pages_recognised pages_to_recognise"),
        "pages": len(document.pages or []),
        "reading": _reading_json(document),
        "graph": _graph_json(graph),
        "near_duplicate_of": near and {**near._asdict(), "id": str(near.id), "similarity": round(near.similarity, 2)},
        "can_retry": document.error is not None and document.error["code"] not in PERMANENT,
    }


def _reading_json(document: Document) -> dict[str, Any] | None:
    if document.read_s is None:
        return None
    pages, cost = len(document.pages or []), document.read_usd
    return {
        "seconds": round(document.read_s, 3),
        "ms_per_page": round(1000 * document.read_s / pages, 1) if pages else None,
        "cost_usd": None if cost is None else float(cost),
    }


def _graph_json(graph: GraphState | None) -> dict[str, Any]:
    row = graph.row if graph else None
    return {
        "status": row.status if row else "off",
        "chunks_done": row.done if row else 0,
        "chunks_failed": row.failed if row else 0,
        "entities": graph.entities if graph else 0,
        "relations": graph.relations if graph else 0,
        "reason": row.reason if row else None,
        "llm_calls": row.llm_calls if row else 0,
        "prompt_tokens": row.prompt_tokens if row else 0,
        "completion_tokens": row.completion_tokens if row else 0,
        "cost_usd": float(row.cost_usd) if row else 0.0,
    }


def page_json(page: list[int], size: tuple[float, float] | None) -> dict[str, Any]:
    width, height = size or (None, None)
    return {**dict(zip(("number", "start", "end"), page, strict=True)), "width": width, "height": height}
