"""Builders of rows with good defaults."""

import uuid
from typing import Any

from sqlalchemy.orm import Session

from config.settings import settings
from db.models import Chunk, Document, Query
from db.queries.lexicon import as_tsvector, count_chunks
from db.queries.queries import add_query
from db.queries.workspaces import claim_embedding_model, get_or_add_workspace
from domain.lexemes import lexemes
from domain.options import QueryOptions
from services.submission import NewQuery, resolve_options


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
    session: Session, text: str, *, workspace: str = "w", filename: str = "a.txt", **over: Any
) -> Document:
    """A ready document with its text stored, without chunks."""
    owner = get_or_add_workspace(session, workspace)
    claim_embedding_model(session, owner.id, "use-multilingual-v3", 512)
    values = {"number": 0, "sha256": uuid.uuid4().hex, "size_bytes": len(text), "status": "ready", **over}
    document = Document(workspace_id=owner.id, filename=filename, text=text, details={}, **values)
    session.add(document)
    session.flush()
    return document


def make_chunk(session: Session, document: Document, start: int, end: int, *, index: int = 0, **over: Any) -> Chunk:
    """A chunk of the document's text; its vector points along axis `index` unless one is given."""
    values = {"embedding": [float(axis == index) for axis in range(512)], "page": None, "section": None, **over}
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
    return chunk
