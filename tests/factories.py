"""Builders of rows with good defaults."""

import uuid
from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session

from citewell_verify.embeddings.wheel import WHEEL_DIMENSION, WHEEL_MODEL
from config.settings import settings
from db.models import Chunk, Document, Query
from db.queries.access.workspaces import get_or_add_workspace
from db.queries.documents.spaces import add_vectors, assign_space, get_or_add_space
from db.queries.runs import step_io
from db.queries.runs.queries import add_query
from db.queries.search.passages import as_tsvector, count_chunks
from domain.query.options import QueryOptions
from domain.retrieval.lexemes import lexemes
from services.queries.submission import NewQuery, resolve_options


def make_options(**over: Any) -> QueryOptions:
    """The options of a default query, with some replaced."""
    return resolve_options(NewQuery("?"), settings()).model_copy(update=over)


def make_query(session: Session, *, workspace: str = "w", question: str = "How long?", **over: Any) -> Query:
    """A queued query in a workspace that exists."""
    values: dict[str, Any] = {
        "mode": "balanced",
        "provider": "offline",
        "options": make_options().model_dump(mode="json"),
        **over,
    }
    return add_query(session, get_or_add_workspace(session, workspace).id, question=question, **values)


def make_document(
    session: Session, text: str, *, workspace: str = "w", filename: str | None = None, number: int = 0, **over: Any
) -> Document:
    """A ready document with its text stored, without chunks; its name is unique unless given."""
    owner = get_or_add_workspace(session, workspace)
    assign_space(session, owner.id, get_or_add_space(session, WHEEL_MODEL, WHEEL_DIMENSION))
    values = {"number": number, "sha256": uuid.uuid4().hex, "size_bytes": len(text), "status": "ready", **over}
    name = filename or (f"a{number}.txt" if number else "a.txt")
    document = Document(workspace_id=owner.id, filename=name, text=text, details={}, **values)
    session.add(document)
    session.flush()
    return document


def make_chunk(session: Session, document: Document, start: int, end: int, *, index: int = 0, **over: Any) -> Chunk:
    """A chunk of the document's text; its vector points along axis `index` unless an `embedding` is given."""
    values: dict[str, Any] = {"page": None, "section": None, **over}
    embedding: list[float] = values.pop("embedding", None) or [float(axis == index) for axis in range(WHEEL_DIMENSION)]
    held = lexemes(text := (document.text or "")[start:end])
    chunk = Chunk(
        workspace_id=document.workspace_id,
        document_id=document.id,
        chunk_id=f"{document.doc_id}::chunk_{index}",
        chunk_index=index,
        start_index=start,
        end_index=end,
        text=text,
        sha256="",
        search=as_tsvector(held),
        length=len(held),
        **values,
    )
    count_chunks(session, document.workspace_id, [held])
    session.add(chunk)
    session.flush()
    add_vectors(session, get_or_add_space(session, WHEEL_MODEL, WHEEL_DIMENSION), [(chunk.id, chunk.text, embedding)])
    return chunk


def finish_items(
    session: Session,
    query_id: uuid.UUID,
    round_: int,
    step: str,
    values: Mapping[str, dict[str, Any]],
    attempts: Mapping[str, int],
) -> bool:
    """Store outcomes of one step as its worker does."""
    keyed = {(step, item): value for item, value in values.items()}
    fences = {(step, item): attempt for item, attempt in attempts.items()}
    return step_io.complete_steps_within(session, step_io.Completion(str(query_id), round_, keyed, fences)).kept
