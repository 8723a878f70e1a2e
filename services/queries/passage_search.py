"""Passage search without a question: passages that match words, or the passages of a document in order."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from citewell_verify.embeddings.protocol import Embedder
from citewell_verify.evidence.passages import Passage
from config.settings import Settings
from db.models import DocumentStatus
from db.queries.documents.boxes import find_marks
from db.queries.documents.chunks import get_passages, list_passages
from db.queries.documents.documents import get_document, workspace_names_of
from db.session import reading
from domain.documents.text_marks import TextMarks
from domain.errors.state import DocumentNotRead
from domain.query.options import DocumentFilter
from services.queries.submission import checked_question, open_workspaces
from services.retrieval.candidates import Search, Searched, copies_json, search

_READ = (DocumentStatus.READY, DocumentStatus.SUPERSEDED)


@dataclass(frozen=True, slots=True)
class NewSearch:
    """A text to search for; None means: as configured."""

    text: str
    workspace: str = "default"
    workspaces: tuple[str, ...] = ()
    """All workspaces to search, in place of `workspace`."""
    k: int | None = None
    filter: DocumentFilter | None = None


def search_passages(new: NewSearch, settings: Settings, embedder: Embedder) -> dict[str, Any]:
    """Return the passages that a question would find before reranking, as JSON: `passages`, best first, and `issues`.

    Raises QuestionInvalid, WorkspaceNotFound, WorkspaceForbidden, WorkspaceDeleting, EmbeddingsDiffer,
    EmbeddingMismatch, EmbeddingRejected.
    """
    text = checked_question(new.text, settings.question_max_chars)
    with reading() as session:
        places = [workspace.id for workspace in open_workspaces(session, new.workspaces or (new.workspace,))]
    k, configured = new.k or settings.retrieval.k, settings.retrieval
    where = Search(places[0], configured.method, k, new.filter, configured.dense_weight, tuple(places))
    searched: Searched = search([text], where, embedder)
    similarity = dict(searched.candidates)
    with reading() as session:
        passages = get_passages(session, similarity)
        names = workspace_names_of(session, {passage.document_id for passage in passages})
        marks = find_marks_of(session, passages)
    shown = [
        {
            **passage_json(passage, marks),
            "workspace": names[passage.document_id],
            "similarity": similarity[passage.key],
            "also_in": copies_json(searched.also_in.get(passage.key, ())),
        }
        for passage in passages
        if passage.document_id in names
    ]
    return {"passages": shown, "issues": list(searched.issues)}


def read_passages(
    document_id: uuid.UUID, *, page: int | None, chunk_id: str | None, first: int, limit: int
) -> list[dict[str, Any]]:
    """Return the passages of a document in order, as JSON. Raises DocumentNotFound, DocumentNotRead."""
    with reading() as session:
        if get_document(session, document_id).status not in _READ:
            raise DocumentNotRead
        passages = list_passages(session, document_id, page=page, chunk_id=chunk_id, first=first, limit=limit)
        marks = find_marks_of(session, passages)
    return [passage_json(passage, marks) for passage in passages]


def find_marks_of(session: Session, passages: Iterable[Passage]) -> TextMarks:
    return find_marks(session, ((passage.document_id, passage.page) for passage in passages))


def passage_json(passage: Passage, marks: TextMarks) -> dict[str, Any]:
    return {
        "document_id": passage.document_id,
        "document_name": passage.filename,
        "doc_id": passage.doc_id,
        "chunk_id": passage.chunk_id,
        "chunk_index": passage.chunk_index,
        "page_number": passage.page,
        "section": passage.section,
        "source_start": passage.start_index,
        "source_end": passage.end_index,
        "text": passage.readable,
        "metadata": passage.metadata,
        **marks.of(passage.document_id, passage.page, passage.start_index, passage.end_index),
    }
