"""Graph search (S5.1): entities, their relations, and the chunks of ready documents that mention them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from db.models import (
    Chunk,
    Document,
    DocumentGraph,
    DocumentStatus,
    Entity,
    EntityChunk,
    GraphStatus,
    Relation,
    RelationChunk,
)
from db.queries.search.passages import any_of
from domain.retrieval.lexemes import lexemes

Conditions = Sequence[ColumnElement[bool]]


_LEXEMES = 32  # the most lexemes of a question that rank passages
_SEARCHED = (Document.status == DocumentStatus.READY, ~Chunk.excluded)


@dataclass(frozen=True, slots=True)
class Space:
    """The entities of a workspace whose vectors `model` made and that documents meeting `where` mention. Vectors of
    other models cannot be compared."""

    workspace_id: int
    model: str
    where: Conditions = ()


@dataclass(frozen=True, slots=True)
class Connection:
    """A relation between the entities `ends` (`names`), stated by `weight` chunks; `similarity` to the
    search vector.
    """

    id: int
    ends: tuple[int, int]
    names: tuple[str, str]
    weight: int
    similarity: float


def has_graph(session: Session, workspace_id: int) -> bool:
    documents = select(DocumentGraph.document_id).join(Document, Document.id == DocumentGraph.document_id)
    wanted = (
        DocumentGraph.workspace_id == workspace_id,
        DocumentGraph.status == GraphStatus.READY,
        Document.status == DocumentStatus.READY,
    )
    return session.scalar(select(documents.where(*wanted).exists())) or False


def entities_with_keys(session: Session, workspace_id: int, keys: Iterable[str]) -> list[int]:
    wanted = select(Entity.id).where(Entity.workspace_id == workspace_id, Entity.key.in_(list(keys)), _is_named())
    return list(session.scalars(wanted.order_by(Entity.id)))


def near_entities(session: Session, space: Space, embedding: Sequence[float], k: int) -> list[tuple[int, float]]:
    """Return the `k` entities nearest to a vector as (id, cosine similarity), the nearest first.

    The search is exact, because the entities of one workspace are far fewer than its chunks.
    """
    distance = Entity.embedding.cosine_distance(embedding)
    rows = session.execute(
        select(Entity.id, distance)
        .where(Entity.workspace_id == space.workspace_id, Entity.embedding_model == space.model, _is_named(space.where))
        .order_by(distance, Entity.id)
        .limit(k)
    )
    return [(id_, 1.0 - float(value)) for id_, value in rows]


def near_connections(session: Session, space: Space, embedding: Sequence[float], k: int) -> list[Connection]:
    """Return the relations nearest to a vector, compared one by one like the entities."""
    return _connections(session, space, embedding, k)


def connections_of(
    session: Session, space: Space, entities: Iterable[int], embedding: Sequence[float], k: int
) -> list[Connection]:
    ids = list(entities)
    return _connections(session, space, embedding, k, or_(Relation.source_id.in_(ids), Relation.target_id.in_(ids)))


def _connections(
    session: Session, space: Space, embedding: Sequence[float], k: int, *conditions: Any
) -> list[Connection]:
    source, target = aliased(Entity), aliased(Entity)
    distance = Relation.embedding.cosine_distance(embedding)
    rows = session.execute(
        select(
            Relation.id, Relation.source_id, Relation.target_id, source.name, target.name, Relation.mentions, distance
        )
        .join(source, source.id == Relation.source_id)
        .join(target, target.id == Relation.target_id)
        .where(
            Relation.workspace_id == space.workspace_id,
            Relation.embedding_model == space.model,
            _in_ready(RelationChunk, RelationChunk.relation_id == Relation.id, space.where),
            *conditions,
        )
        .order_by(distance, Relation.id)
        .limit(k)
    )
    return [
        Connection(id_, (source_id, target_id), (source_name, target_name), weight, 1.0 - float(value))
        for id_, source_id, target_id, source_name, target_name, weight, value in rows
    ]


def chunks_of_connections(
    session: Session, ids: Iterable[int], per: int, where: Conditions = ()
) -> dict[int, list[tuple[int, str]]]:
    """Return for each relation up to `per` chunks of ready documents that state it, as (chunk, description); `where`
    has conditions on their documents."""
    place = func.row_number().over(partition_by=RelationChunk.relation_id, order_by=RelationChunk.chunk_id)
    inner = (
        select(RelationChunk.relation_id, RelationChunk.chunk_id, RelationChunk.description, place.label("place"))
        .join(Chunk, Chunk.id == RelationChunk.chunk_id)
        .join(Document, Document.id == Chunk.document_id)
        .where(RelationChunk.relation_id.in_(list(ids)), *_SEARCHED, *where)
        .subquery()
    )
    chunks: dict[int, list[tuple[int, str]]] = {}
    wanted = select(inner.c.relation_id, inner.c.chunk_id, inner.c.description).where(inner.c.place <= per)
    for relation, chunk, description in session.execute(wanted.order_by(inner.c.relation_id, inner.c.place)):
        chunks.setdefault(relation, []).append((chunk, description))
    return chunks


def chunks_of_entities(
    session: Session, ids: Iterable[int], question: str, per: int, where: Conditions = ()
) -> dict[int, list[int]]:
    """Return for each entity up to `per` chunks of ready documents that mention it, the best matches of the question
    first; `where` has conditions on their documents."""
    rank = func.ts_rank_cd(Chunk.search, any_of(list(dict.fromkeys(lexemes(question)))[:_LEXEMES]), 1)
    place = func.row_number().over(partition_by=EntityChunk.entity_id, order_by=(rank.desc(), EntityChunk.chunk_id))
    inner = (
        select(EntityChunk.entity_id, EntityChunk.chunk_id, place.label("place"))
        .join(Chunk, Chunk.id == EntityChunk.chunk_id)
        .join(Document, Document.id == Chunk.document_id)
        .where(EntityChunk.entity_id.in_(list(ids)), *_SEARCHED, *where)
        .subquery()
    )
    chunks: dict[int, list[int]] = {}
    wanted = select(inner.c.entity_id, inner.c.chunk_id).where(inner.c.place <= per)
    for entity, chunk in session.execute(wanted.order_by(inner.c.entity_id, inner.c.place)):
        chunks.setdefault(entity, []).append(chunk)
    return chunks


def _is_named(where: Conditions = ()) -> Any:
    return _in_ready(EntityChunk, EntityChunk.entity_id == Entity.id, where)


def _in_ready(mention: type[EntityChunk] | type[RelationChunk], condition: Any, where: Conditions) -> Any:
    return exists(
        select(mention.chunk_id)
        .join(Chunk, Chunk.id == mention.chunk_id)
        .join(Document, Document.id == Chunk.document_id)
        .where(condition, *_SEARCHED, *where)
        .correlate(Entity, Relation)
    )
