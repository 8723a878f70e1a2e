"""Stores the graph as mentions by chunk, merges them into entities and relations, forgets deleted documents (S5.1)."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from db.models import Chunk, Entity, EntityChunk, GraphChunk, Relation, RelationChunk
from domain.documents.graph import EntityMention, Merged, PassageGraph, RelationMention, merged_entity, merged_relation

_LOCK_CLASS = 0x43475248
_MOST_MERGED = 50
"""The most mentions that are merged into one description, because more would not fit."""

Row = type[Entity] | type[Relation]


@dataclass(frozen=True, slots=True)
class Stale:
    """An entity or relation to be updated with the merged content of its `mentions` mentions."""

    id: int
    mentions: int
    merged: Merged


def lock_graph(session: Session, workspace_id: int) -> None:
    """Lock the graph of the workspace, before any other lock: documents share its rows."""
    session.execute(select(func.pg_advisory_xact_lock(_LOCK_CLASS, workspace_id % 2**31)))


def store_passage_graph(
    session: Session, workspace_id: int, document_id: uuid.UUID, chunk: int, graph: PassageGraph, error: str | None
) -> None:
    read = insert(GraphChunk).values(chunk_id=chunk, document_id=document_id, error=error).on_conflict_do_nothing()
    if session.scalar(read.returning(GraphChunk.chunk_id)) is None or not graph.entities:
        return
    ids = _count_entities(session, workspace_id, graph.entities)
    session.execute(
        insert(EntityChunk),
        [
            {"entity_id": ids[entity.key], "chunk_id": chunk, "name": entity.name, "type": entity.type,
             "description": entity.description}
            for entity in graph.entities
        ],
    )  # fmt: skip
    if not graph.relations:
        return
    pairs = {frozenset((ids[relation.one], ids[relation.other])): relation for relation in graph.relations}
    relations = _count_relations(session, workspace_id, pairs)
    session.execute(
        insert(RelationChunk),
        [
            {"relation_id": relations[pair], "chunk_id": chunk, "keywords": relation.keywords,
             "description": relation.description}
            for pair, relation in pairs.items()
        ],
    )  # fmt: skip


def _count_entities(session: Session, workspace_id: int, entities: Sequence[EntityMention]) -> dict[str, int]:
    statement = insert(Entity).values(
        [
            {"workspace_id": workspace_id, "key": entity.key, "name": entity.name, "type": entity.type,
             "description": entity.description, "mentions": 1}
            for entity in entities
        ]
    )  # fmt: skip
    rows = session.execute(
        statement.on_conflict_do_update(
            constraint="uq_entities_workspace_id_key", set_={"mentions": Entity.mentions + 1}
        ).returning(Entity.key, Entity.id)
    )
    return dict(rows.all())


def _count_relations(
    session: Session, workspace_id: int, pairs: dict[frozenset[int], RelationMention]
) -> dict[frozenset[int], int]:
    statement = insert(Relation).values(
        [
            {"workspace_id": workspace_id, "source_id": min(pair), "target_id": max(pair),
             "keywords": relation.keywords, "description": relation.description, "mentions": 1}
            for pair, relation in pairs.items()
        ]
    )  # fmt: skip
    rows = session.execute(
        statement.on_conflict_do_update(
            constraint="uq_relations_source_id_target_id", set_={"mentions": Relation.mentions + 1}
        ).returning(Relation.source_id, Relation.target_id, Relation.id)
    )
    return {frozenset((source, target)): id_ for source, target, id_ in rows}


def stale_rows(session: Session, table: Row, document_id: uuid.UUID, limit: int) -> list[Stale]:
    """Return entities or relations of a document with mentions that are not merged yet, with their updated contents."""
    mention, owner = _mention(table)
    of_document = select(owner).join(Chunk, Chunk.id == mention.chunk_id).where(Chunk.document_id == document_id)
    rows = session.execute(
        select(table.id, table.mentions)
        .where(table.merged < table.mentions, table.id.in_(of_document))
        .order_by(table.id)
        .limit(limit)
    )
    return _merged(session, table, dict(rows.all()))


def rows_of_other_models(
    session: Session, table: Row, workspace_id: int, model: str, after: int, limit: int
) -> list[Stale]:
    """Return the next entities or relations of a workspace with an id above `after` whose vectors are not of `model`,
    with their updated contents."""
    rows = session.execute(
        select(table.id, table.mentions)
        .where(table.workspace_id == workspace_id, table.id > after, table.embedding_model.is_distinct_from(model))
        .order_by(table.id)
        .limit(limit)
    )
    return _merged(session, table, dict(rows.all()))


def save_merged(
    session: Session, table: Row, rows: Sequence[Stale], embeddings: Sequence[Sequence[float]], model: str
) -> None:
    """Store descriptions with the vectors of `model`, except where a merge of more mentions was stored meanwhile."""
    for stale, embedding in zip(rows, embeddings, strict=True):
        session.execute(
            update(table)
            .where(table.id == stale.id, table.merged <= stale.mentions)
            .values(
                **_texts(table, stale.merged), merged=stale.mentions, embedding=list(embedding), embedding_model=model
            )
        )


def delete_document_graph(session: Session, workspace_id: int, document_id: uuid.UUID) -> None:
    """Remove a document's mentions before it is deleted; statements that only this document made do not remain, not
    even in a description.

    Entities and relations that other documents mention keep their vectors until their next merge.
    """
    lock_graph(session, workspace_id)
    chunks = select(Chunk.id).where(Chunk.document_id == document_id)
    for table, mention, owner in (
        (Relation, RelationChunk, RelationChunk.relation_id),
        (Entity, EntityChunk, EntityChunk.entity_id),
    ):
        taken = set(session.scalars(delete(mention).where(mention.chunk_id.in_(chunks)).returning(owner)))
        counted = select(owner, func.count()).where(owner.in_(taken)).group_by(owner)
        left = dict(session.execute(counted).all())
        session.execute(delete(table).where(table.id.in_(taken - left.keys())))
        for stale in _merged(session, table, left):
            values = {**_texts(table, stale.merged), "mentions": stale.mentions, "merged": stale.mentions}
            session.execute(update(table).where(table.id == stale.id).values(**values))


def _mention(table: Row) -> tuple[type[EntityChunk] | type[RelationChunk], Any]:
    return (EntityChunk, EntityChunk.entity_id) if table is Entity else (RelationChunk, RelationChunk.relation_id)


def _texts(table: Row, merged: Merged) -> dict[str, Any]:
    if table is Entity:
        return {"name": merged.label, "type": merged.type, "description": merged.description}
    return {"keywords": merged.label, "description": merged.description}


def _merged(session: Session, table: Row, counts: dict[int, int]) -> list[Stale]:
    if table is Entity:
        named = _mentions(session, table, counts, EntityChunk.name, EntityChunk.type, EntityChunk.description)
        by_id = {id_: merged_entity([EntityMention("", *row) for row in rows]) for id_, rows in named.items()}
    else:
        said = _mentions(session, table, counts, RelationChunk.keywords, RelationChunk.description)
        by_id = {id_: merged_relation([RelationMention("", "", *row) for row in rows]) for id_, rows in said.items()}
    return [Stale(id_, counts[id_], merged) for id_, merged in by_id.items()]


def _mentions(session: Session, table: Row, ids: Iterable[int], *texts: Any) -> dict[int, list[list[str]]]:
    mention, owner = _mention(table)
    place = func.row_number().over(partition_by=owner, order_by=mention.chunk_id)
    inner = select(owner.label("owner"), place.label("place"), *texts).where(owner.in_(list(ids))).subquery()
    first = select(inner).where(inner.c.place <= _MOST_MERGED).order_by(inner.c.owner, inner.c.place)
    mentions: dict[int, list[list[str]]] = {}
    for owner_id, _, *said in session.execute(first):
        mentions.setdefault(owner_id, []).append(list(said))
    return mentions
