"""Chunks, joined with their documents."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ARRAY, BigInteger, TextClause, any_, bindparam, func, literal_column, select, text, tuple_
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from citewell_verify.evidence.passages import Passage
from db.models import Chunk, Document
from db.queries.documents.documents import get_document
from domain.errors.missing import ChunkNotFound

# In a long document most sections are elsewhere, and every chunk would carry all of them.
_TOUCHED = literal_column(
    """(
        SELECT jsonb_agg(section ORDER BY place)
        FROM jsonb_array_elements(documents.sections) WITH ORDINALITY AS listed (section, place)
        WHERE (section ->> 1)::int <= chunks.end_index AND (section ->> 2)::int > chunks.start_index
    )""",
    JSONB,
)
# Columns instead of whole objects: every check of an answer reads its passages, and plain rows cost a third as much.
_COLUMNS = (
    Chunk.id.label("key"),
    Document.id.label("document_id"),
    Document.number,
    Document.filename,
    Document.source,
    Document.details.label("metadata"),
    Chunk.chunk_id,
    Chunk.chunk_index,
    Chunk.page,
    Chunk.section,
    Chunk.start_index,
    Chunk.end_index,
    Chunk.text,
    Chunk.context,
    _TOUCHED.label("sections"),
)
# With an array parameter, one prepared statement serves any number of keys.
_KEYS = bindparam("keys", type_=ARRAY(BigInteger))
_BY_KEY = select(*_COLUMNS).join(Document, Document.id == Chunk.document_id).where(Chunk.id == any_(_KEYS))


def get_passages(session: Session, keys: Iterable[int]) -> list[Passage]:
    """Return the passages with these keys, in the order of the keys; deleted chunks are left out."""
    wanted = list(keys)
    rows = session.execute(_BY_KEY, {"keys": wanted})
    by_key = {row["key"]: _passage(dict(row)) for row in rows.mappings()}
    return [by_key[key] for key in wanted if key in by_key]


def read_passages(rows: Iterable[Mapping[str, Any]]) -> list[Passage]:
    """Build passages from the JSON rows that `leave_steps_v1` returns."""
    return [_passage({**row, "document_id": uuid.UUID(row["document_id"])}) for row in rows]


def list_excluded(session: Session, keys: Iterable[int]) -> set[int]:
    """Return the keys among these whose chunks people excluded from the search."""
    return set(session.scalars(select(Chunk.id).where(Chunk.id == any_(_KEYS), Chunk.excluded), {"keys": list(keys)}))


def find_passages(session: Session, places: Collection[tuple[uuid.UUID, int]]) -> dict[tuple[uuid.UUID, int], Passage]:
    rows = session.execute(
        select(*_COLUMNS)
        .join(Document, Document.id == Chunk.document_id)
        .where(tuple_(Chunk.document_id, Chunk.chunk_index).in_(list(places)))
    )
    passages = [_passage(dict(row)) for row in rows.mappings()]
    return {(passage.document_id, passage.chunk_index): passage for passage in passages}


def get_passage(session: Session, document_id: uuid.UUID, chunk_index: int) -> Passage:
    statement = select(*_COLUMNS).join(Document, Document.id == Chunk.document_id)
    row = session.execute(
        statement.where(Chunk.document_id == document_id, Chunk.chunk_index == chunk_index)
    ).mappings()
    if values := row.one_or_none():
        return _passage(dict(values))
    document = get_document(session, document_id)
    count = session.scalar(select(func.count()).where(Chunk.document_id == document_id))
    known = f"its chunks are 0 to {count - 1}" if count else f"it has none yet: its status is {document.status!r}"
    raise ChunkNotFound(f"Document {document_id} has no chunk {chunk_index}; {known}.")


def list_passages(
    session: Session,
    document_id: uuid.UUID,
    *,
    page: int | None = None,
    chunk_id: str | None = None,
    first: int = 0,
    limit: int,
    searched: bool = False,
) -> list[Passage]:
    """Return the passages of a document in order; `searched` leaves out those that people excluded from the search."""
    statement = select(*_COLUMNS).join(Document, Document.id == Chunk.document_id)
    if searched:
        statement = statement.where(~Chunk.excluded)
    statement = statement.where(Chunk.document_id == document_id, Chunk.chunk_index >= first)
    if page is not None:
        statement = statement.where(Chunk.page == page)
    if chunk_id is not None:
        statement = statement.where(Chunk.chunk_id == chunk_id)
    rows = session.execute(statement.order_by(Chunk.chunk_index).limit(limit)).mappings()
    return [_passage(dict(row)) for row in rows]


def text_around(session: Session, passage: Passage) -> str:
    """Return the document's text from the start of the chunk before `passage` to the end of the chunk after it, without
    the chunks that people excluded from the search."""
    place = {"document": passage.document_id, "index": passage.chunk_index}
    around = session.scalar(_AROUND, {**place, "start": passage.start_index, "end": passage.end_index})
    return around or passage.text


_AROUND = text("""
    WITH around AS (
        SELECT least(:start, min(start_index)) AS first, greatest(:end, max(end_index)) AS last FROM chunks
        WHERE document_id = :document AND chunk_index BETWEEN :index - 1 AND :index + 1 AND NOT excluded
    )
    SELECT substr(documents.text, first + 1, last - first) FROM documents, around WHERE documents.id = :document
""")


def read_slices(session: Session, slices: Sequence[tuple[uuid.UUID, int, int]]) -> list[str | None]:
    """Return the stored texts at these (document, start, end), in code points; None for a deleted document."""
    return _read(session, _SLICES, slices)


def read_given_slices(
    session: Session, query_id: uuid.UUID, slices: Sequence[tuple[int, int, int]]
) -> list[str | None]:
    """`read_slices` for the sources that came with a request (N2), by their numbers."""
    return _read(session, _GIVEN_SLICES, slices, q=query_id)


def _read(session: Session, slicing: TextClause, slices: Sequence[tuple[Any, int, int]], **more: Any) -> list[Any]:
    if not slices:
        return []
    sources, starts, ends = (list(column) for column in zip(*slices, strict=True))
    return list(session.scalars(slicing, {"sources": sources, "starts": starts, "ends": ends, **more}))


# Each text is read once, however many slices of it are requested: long texts are stored compressed, out of line.
_SLICED = """
    WITH asked AS (
        SELECT * FROM unnest(CAST(:sources AS {type}[]), CAST(:starts AS int[]), CAST(:ends AS int[]))
            WITH ORDINALITY AS asked (key, first, last, place)
    ), spans AS (
        SELECT key, min(first) AS first, max(last) AS last FROM asked GROUP BY key
    ), found AS MATERIALIZED (
        SELECT key, first, substr(text, first + 1, last - first) AS span FROM spans JOIN {texts}
    )
    SELECT substr(span, asked.first - found.first + 1, asked.last - asked.first)
    FROM asked LEFT JOIN found USING (key) ORDER BY place
"""
_SLICES = text(_SLICED.format(type="uuid", texts="documents ON documents.id = key"))
_GIVEN_SLICES = text(_SLICED.format(type="int", texts="given_sources ON query_id = :q AND number = key"))


def _passage(row: dict[str, Any]) -> Passage:
    sections: list[Any] = row.pop("sections") or []
    return Passage(doc_id=f"doc_{row.pop('number')}", sections=sections, **row)
