"""Searches passages by vectors (S1.1), through the index of the workspace's space or exactly where few chunks are
candidates, and by words; and stores the statistics of a workspace for the search by words: how many passages contain
each lexeme, and their length.

The statistics are updated in the transaction that stores or deletes the passages.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import ColumnElement, TextClause, and_, cast, delete, func, literal_column, select, text, update
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.orm import Session

from db.models import Chunk, ChunkVector, Document, DocumentStatus, Lexeme, Workspace
from db.queries.documents.spaces import Space, space_of
from domain.errors.state import EmbeddingMismatch
from domain.retrieval.lexemes import FURTHER, Collection, Occurrences, lexical_scores, searched_question

EXACT_UP_TO = 10_000
"""Up to this many chunks are compared one by one, with full recall (measured: docs/internals/retrieval.md)."""
EF_SEARCH = 100
OVERFETCH = 4
"""A filtered scan returns matches only roughly in order: of four times `k`, the best `k` are nearly the nearest."""
_CHUNKS_OF_A_DOCUMENT = 10

Conditions = Sequence[ColumnElement[bool]]
# Rows of columns need no mapped classes, which cost each search some of its time.
_CHUNKS, _DOCUMENTS, _VECTORS = Chunk.__table__.c, Document.__table__, ChunkVector.__table__.c

_SCAN = {
    "hnsw.iterative_scan": "relaxed_order",
    "hnsw.max_scan_tuples": "200000",
    "hnsw.scan_mem_multiplier": "16",
    # The index is used regardless of statistics: a sort would mean reading and comparing all candidates.
    "enable_sort": "off",
}
_SET = text("""
    SELECT set_config(name, value, true)
    FROM unnest(CAST(:names AS text[]), CAST(:values AS text[])) AS given (name, value)
""")


# Limits of a Postgres tsvector: positions per lexeme, and the largest position (14 bits).
_MOST_PLACES = 256
_LAST_PLACE = 16_383
_RECOUNT = text("""
    INSERT INTO lexemes (workspace_id, lexeme, tenant_id, chunks)
    SELECT chunks.workspace_id, held.lexeme, chunks.tenant_id, count(*)
    FROM chunks CROSS JOIN LATERAL unnest(chunks.search) AS held
    WHERE chunks.workspace_id = :workspace_id
    GROUP BY chunks.workspace_id, held.lexeme, chunks.tenant_id
""")
_HELD = text("""
    SELECT held.lexeme, count(*) FROM chunks CROSS JOIN LATERAL unnest(chunks.search) AS held
    WHERE chunks.document_id = :document_id GROUP BY held.lexeme
""")
# One statement for all rows, because a statement for each would be a round trip each.
_ADD = text("""
    INSERT INTO lexemes (workspace_id, lexeme, chunks)
    SELECT :workspace_id, held.lexeme, held.chunks
    FROM unnest(CAST(:lexemes AS text[]), CAST(:chunks AS integer[])) AS held (lexeme, chunks)
    ON CONFLICT (workspace_id, lexeme) DO UPDATE SET chunks = lexemes.chunks + excluded.chunks
""")
# Limits on the work of a search: the lexemes used (the question's rarest), the passages scanned for them, and the
# passages scored (those with the highest total weight of shared lexemes).
_LEXEMES = 32
_LOOKED_AT = 20_000
_SCORED = 200


@dataclass(frozen=True, slots=True)
class Candidates:
    """The chunks to search: those of a workspace's ready documents for which `where` holds; with `excluded` those that
    people excluded from the search instead."""

    space: Space
    workspace_id: int
    where: Conditions = ()
    excluded: bool = False

    @property
    def conditions(self) -> tuple[ColumnElement[bool], ...]:
        of_workspace = _DOCUMENTS.c.workspace_id == self.workspace_id
        return of_workspace, _DOCUMENTS.c.status == DocumentStatus.READY, *self.where


def search_vector(
    session: Session,
    workspace_id: int,
    embedding: Sequence[float],
    k: int,
    *,
    where: Conditions = (),
    space: Space | None = None,
    excluded: bool = False,
) -> list[tuple[int, float]]:
    """Return the `k` nearest chunks of ready documents as (chunk id, cosine similarity), the nearest first.

    `where` has conditions on Document. `space` is the vector's space, by default the workspace's; without a space the
    result is empty. Raises EmbeddingMismatch when the vector does not have the dimension of the space.
    """
    space = space or space_of(session, workspace_id)
    if space is None:
        return []
    if len(embedding) != space.dimension:
        raise EmbeddingMismatch(
            f"The workspace holds vectors of {space.model} ({space.dimension} components), "
            f"which one of {len(embedding)} cannot be compared with."
        )
    chosen = Candidates(space, workspace_id, where, excluded)
    # Few chunks are excluded, if any, and an index scan would read all others before it found them.
    if excluded or _at_most(session, EXACT_UP_TO, chosen):
        return exactly(session, chosen, embedding, k)
    hits = through_index(session, chosen, embedding, k)
    # There are more than `k` candidates. Fewer results mean that the scan hit its limit among rows that do not match.
    return hits if len(hits) >= k else exactly(session, chosen, embedding, k)


def exactly(session: Session, chosen: Candidates, embedding: Sequence[float], k: int) -> list[tuple[int, float]]:
    """Like `search_vector`, comparing every candidate, at any cost."""
    # The index is on the vector cast to its dimension; this expression has none.
    return _nearest(session, chosen, _VECTORS.embedding, embedding, k)


def through_index(
    session: Session, chosen: Candidates, embedding: Sequence[float], k: int, *, ef_search: int = EF_SEARCH
) -> list[tuple[int, float]]:
    """Like `search_vector`, through the index: fast unless candidates are rare among all vectors."""
    # A filtered scan continues until enough rows match or these limits are reached.
    _set(session, {**_SCAN, "hnsw.ef_search": str(ef_search)})
    halved = cast(_VECTORS.embedding, HALFVEC(chosen.space.dimension))
    hits = _nearest(session, chosen, halved, embedding, k * OVERFETCH)[:k]
    # Other statements of this transaction may sort.
    _set(session, {"enable_sort": "on"})
    return hits


def _set(session: Session, settings: Mapping[str, str]) -> None:
    session.execute(_SET, {"names": list(settings), "values": list(settings.values())})


def _nearest(
    session: Session, chosen: Candidates, vector: Any, embedding: Sequence[float], k: int
) -> list[tuple[int, float]]:
    distance = vector.cosine_distance(embedding)
    rows = session.execute(
        select(_VECTORS.chunk_id, distance)
        .join(_DOCUMENTS, _DOCUMENTS.c.id == _VECTORS.document_id)
        .where(
            # The space is a literal: a parameter would not tell the planner which partial index holds the rows.
            _VECTORS.space_id == literal_column(str(chosen.space.id)),
            _VECTORS.workspace_id == chosen.workspace_id,
            _VECTORS.excluded if chosen.excluded else ~_VECTORS.excluded,
            *chosen.conditions,
        )
        .order_by(distance)
        .limit(k)
    )
    hits = [(chunk_id, 1.0 - float(value)) for chunk_id, value in rows]
    return sorted(hits, key=lambda hit: -hit[1])


def _at_most(session: Session, limit: int, chosen: Candidates) -> bool:
    """Return whether there are at most this many candidates. Documents are counted, not chunks: there are far fewer,
    and each has at least one chunk. Usually the first pass decides."""
    for most in (limit // _CHUNKS_OF_A_DOCUMENT, limit):
        looked_at = select(_DOCUMENTS.c.chunks_done).where(*chosen.conditions).limit(most).subquery()
        chunks = func.coalesce(func.sum(looked_at.c.chunks_done), 0)
        documents, count = session.execute(select(func.count(), chunks).select_from(looked_at)).one()
        if count > limit:
            return False
        if documents < most:
            return True
    return True


def as_tsvector(lexemes: Sequence[str]) -> str:
    """Return the lexemes with their positions (from 1), in the input syntax of tsvector."""
    places: dict[str, list[int]] = {}
    for place, lexeme in enumerate(lexemes[:_LAST_PLACE], start=1):
        places.setdefault(lexeme, []).append(place)
    # No lexeme contains a quotation mark or a backslash (domain.retrieval.lexemes).
    return " ".join(f"'{lexeme}':{','.join(map(str, at[:_MOST_PLACES]))}" for lexeme, at in places.items())


def count_chunks(session: Session, workspace_id: int, chunks: Iterable[Sequence[str]]) -> None:
    counted = list(chunks)
    held = Counter(lexeme for lexemes in counted for lexeme in set(lexemes[:_LAST_PLACE]))
    _add(session, workspace_id, held, len(counted), sum(map(len, counted)))


def uncount_chunks(session: Session, document_id: uuid.UUID) -> None:
    known = session.execute(
        select(Chunk.workspace_id, func.count(), func.sum(Chunk.length))
        .where(Chunk.document_id == document_id)
        .group_by(Chunk.workspace_id)
    ).one_or_none()
    if known is None:
        return
    workspace_id, chunks, length = known
    held = {lexeme: -count for lexeme, count in session.execute(_HELD, {"document_id": document_id})}
    session.execute(delete(Chunk).where(Chunk.document_id == document_id))
    _add(session, workspace_id, held, -chunks, -length)
    # Lexemes that only the deleted document contained must not remain.
    session.execute(delete(Lexeme).where(Lexeme.workspace_id == workspace_id, Lexeme.chunks <= 0))


def recount(session: Session, workspace_id: int) -> None:
    """Count the workspace's lexemes again, after passages were stored in bulk."""
    session.execute(delete(Lexeme).where(Lexeme.workspace_id == workspace_id))
    session.execute(_RECOUNT, {"workspace_id": workspace_id})
    counted = select(func.count(), func.coalesce(func.sum(Chunk.length), 0)).where(Chunk.workspace_id == workspace_id)
    chunks, length = session.execute(counted).one()
    session.execute(
        update(Workspace).where(Workspace.id == workspace_id).values(chunk_count=chunks, lexeme_count=length)
    )


def collection(session: Session, workspace_id: int, lexemes: Sequence[str]) -> Collection:
    """Return the workspace's statistics for these lexemes; lexemes that no passage contains are left out."""
    held = and_(Lexeme.workspace_id == Workspace.id, Lexeme.lexeme.in_(list(lexemes)), Lexeme.chunks > 0)
    counts = select(Workspace.chunk_count, Workspace.lexeme_count, Lexeme.lexeme, Lexeme.chunks).outerjoin(Lexeme, held)
    rows = session.execute(counts.where(Workspace.id == workspace_id)).all()
    if not rows or not rows[0].chunk_count:
        return Collection(0, 0.0, {})
    passages, length = rows[0].chunk_count, rows[0].lexeme_count
    return Collection(passages, length / passages, {row.lexeme: row.chunks for row in rows if row.lexeme is not None})


def _add(session: Session, workspace_id: int, held: Mapping[str, int], chunks: int, length: int) -> None:
    if held:
        # All writers use the same order, so that two writers to one workspace do not deadlock.
        names = sorted(held)
        values = {"workspace_id": workspace_id, "lexemes": names, "chunks": [held[name] for name in names]}
        session.execute(_ADD, values)
    session.execute(
        update(Workspace)
        .where(Workspace.id == workspace_id)
        .values(chunk_count=Workspace.chunk_count + chunks, lexeme_count=Workspace.lexeme_count + length)
    )


def search_text(
    session: Session, workspace_id: int, question: str, k: int, where: Sequence[ColumnElement[bool]] = ()
) -> list[int]:
    """Return the `k` passages of ready documents that match the question's words best, the best first; `where` has
    conditions on their documents. Empty if no passage has any of the words."""
    return [key for key, _ in search_scored(session, workspace_id, question, k, where)]


def search_scored(
    session: Session,
    workspace_id: int,
    question: str,
    k: int,
    where: Sequence[ColumnElement[bool]] = (),
    *,
    excluded: bool = False,
) -> list[tuple[int, float]]:
    """Like `search_text`, with scores; with `excluded` over the chunks that people excluded from the search instead."""
    asked = searched_question(question)
    known = collection(session, workspace_id, list(dict.fromkeys((*asked.own, *asked.further))))
    rarest = sorted(
        (frequency for frequency in known.frequencies if frequency in asked.own), key=known.frequencies.__getitem__
    )
    if not rarest:
        return []
    weights = {lexeme: known.weight(lexeme) for lexeme in rarest[:_LEXEMES]}
    weights |= {lexeme: FURTHER * known.weight(lexeme) for lexeme in asked.further if lexeme in known.frequencies}
    searched = [*where, _CHUNKS.excluded.is_(excluded)]
    candidates = _candidates(session, workspace_id, weights, known, searched)
    return lexical_scores(asked.own, candidates, known, asked.further)[:k]


def _candidates(
    session: Session,
    workspace_id: int,
    weights: Mapping[str, float],
    known: Collection,
    where: Sequence[ColumnElement[bool]],
) -> list[Occurrences[int]]:
    """Return the passages to be scored, those that share most lexemes first, with the places of the lexemes in them.

    `weights` are those of the lexemes, the question's rarest first.
    """
    looked_up = _affordable(list(weights), known.frequencies)
    best = (
        select(_CHUNKS.id, _CHUNKS.length, _CHUNKS.search, _shared(weights))
        .join(_DOCUMENTS, _DOCUMENTS.c.id == _CHUNKS.document_id)
        .where(_CHUNKS.workspace_id == workspace_id, _DOCUMENTS.c.status == DocumentStatus.READY, *where)
        .where(_has(looked_up))
        .order_by(text("shared DESC"), _CHUNKS.id)
        .limit(_SCORED)
        .subquery("best")
    )
    held = func.unnest(best.c.search).table_valued("lexeme", "positions", "weights", name="held").render_derived()
    rows = session.execute(
        select(best.c.id, best.c.length, held.c.lexeme, held.c.positions)
        .join(held, held.c.lexeme.in_(list(weights)))
        .order_by(text("best.shared DESC"), best.c.id)
    )
    places: dict[tuple[int, int], dict[str, Sequence[int]]] = {}
    for key, length, lexeme, positions in rows:
        places.setdefault((key, length), {})[lexeme] = positions
    return [Occurrences(*passage, held) for passage, held in places.items()]


def _shared(weights: Mapping[str, float]) -> TextClause:
    """Return the column `shared`: the total weight of those lexemes that a passage has. It is written as text, because
    to put the sum together from expressions takes each search a millisecond."""
    terms, values = list[str](), dict[str, Any]()
    for place, (lexeme, weight) in enumerate(weights.items()):
        wanted, worth = f"wanted_{place}", f"worth_{place}"
        terms.append(f"CASE WHEN chunks.search @@ CAST(:{wanted} AS tsquery) THEN :{worth} ELSE 0 END")
        values |= {wanted: _quoted([lexeme]), worth: weight}
    return text(f"{' + '.join(terms)} AS shared").bindparams(**values)


def _affordable(rarest: list[str], frequencies: Mapping[str, int]) -> list[str]:
    """Return the first lexemes that together occur in no more passages than may be scanned; at least one."""
    chosen, passages = rarest[:1], frequencies[rarest[0]]
    for lexeme in rarest[1:]:
        passages += frequencies[lexeme]
        if passages > _LOOKED_AT:
            break
        chosen.append(lexeme)
    return chosen


def any_of(wanted: Sequence[str]) -> ColumnElement[str]:
    return cast(_quoted(wanted), TSQUERY)


def _quoted(wanted: Sequence[str]) -> str:
    # No lexeme contains a quotation mark or a backslash (domain.retrieval.lexemes), so none needs escaping.
    return " | ".join(f"'{lexeme}'" for lexeme in wanted)


def _has(wanted: Sequence[str]) -> ColumnElement[bool]:
    return _CHUNKS.search.op("@@", is_comparison=True)(any_of(wanted))
