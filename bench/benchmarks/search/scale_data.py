"""A collection of any size: documents that keep to a topic, and vectors in clusters, like those of real documents."""

import json
import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from sqlalchemy import text
from sqlalchemy.orm import Session

from db.models import WHEEL_SPACE
from db.queries.search.passages import as_tsvector, recount
from domain.retrieval.lexemes import lexemes

DIMENSION, LATENT = 512, 48
CHUNKS_PER_DOCUMENT, CHUNKS_PER_TOPIC, TOPICS_PER_GROUP = 20, 250, 4
_WORDS_PER_CHUNK, _VOCABULARY = 60, 30_000
_BATCH = 20_000

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Collection:
    """Vectors by chunk (key 1 is row 0), the topic of every document, and questions near some of the chunks."""

    vectors: NDArray[np.float16]
    topics: NDArray[np.int64]
    questions: Matrix

    @property
    def chunks(self) -> int:
        return len(self.vectors)


def make_collection(chunks: int, questions: int, seed: int = 7) -> Collection:
    """Topics are normal distributions in 48 dimensions, which a fixed matrix turns into directions of 512."""
    rng = np.random.default_rng(seed)
    documents = chunks // CHUNKS_PER_DOCUMENT
    centres = rng.standard_normal((max(8, chunks // CHUNKS_PER_TOPIC), LATENT), dtype=np.float32)
    topics = rng.integers(0, len(centres), documents)
    spread = rng.standard_normal((LATENT, DIMENSION), dtype=np.float32)
    vectors = np.empty((chunks, DIMENSION), dtype=np.float16)
    for first in range(0, chunks, _BATCH):
        owners = topics[np.arange(first, min(first + _BATCH, chunks)) // CHUNKS_PER_DOCUMENT]
        vectors[first : first + len(owners)] = _directions(centres[owners], spread, 0.7, rng)
    asked = topics[rng.integers(0, documents, questions)]
    return Collection(vectors, topics, _directions(centres[asked], spread, 0.7, rng))


def nearest_exactly(made: Collection, allowed: NDArray[np.bool_], k: int) -> list[set[int]]:
    """Return the keys of the `k` nearest allowed chunks of every question."""
    rows = np.flatnonzero(allowed)
    best: list[list[tuple[float, int]]] = [[] for _ in made.questions]
    for first in range(0, len(rows), _BATCH):
        part = rows[first : first + _BATCH]
        block = made.vectors[part].astype(np.float32)
        likeness = made.questions @ (block / np.linalg.norm(block, axis=1, keepdims=True)).T
        for question, row in enumerate(likeness):
            top = np.argsort(-row)[:k]
            best[question] += [(float(row[place]), int(part[place]) + 1) for place in top]
    return [{key for _, key in sorted(each, reverse=True)[:k]} for each in best]


def load(session: Session, workspace_id: int, tenant_id: int, made: Collection) -> None:
    """Store the collection in one transaction, through tables without policies: COPY does not work with row-level
    security."""
    connection: Any = session.connection().connection.driver_connection
    register_vector(connection)
    ids = [uuid.uuid4() for _ in made.topics]
    owner = {"workspace": workspace_id, "tenant": tenant_id, "space": WHEEL_SPACE}
    documents = ((each, number, json.dumps(labels(number, made))) for number, each in enumerate(ids))
    _copied(connection, "new_documents", {"id": "uuid", "number": "int4", "metadata": "text"}, documents)
    session.execute(text(_DOCUMENTS), {**owner, "count": CHUNKS_PER_DOCUMENT})
    columns = {"key": "int8", "document_id": "uuid", "text": "text", "embedding": "halfvec"}
    columns |= {"search": "text", "length": "int4"}
    _copied(connection, "new_chunks", columns, _rows(made, ids))
    session.execute(text(_CHUNKS), owner)
    session.execute(text(_VECTORS), owner)
    recount(session, workspace_id)
    session.execute(text("SELECT setval(pg_get_serial_sequence('chunks', 'id'), :last)"), {"last": made.chunks})


def labels(number: int, made: Collection) -> dict[str, str]:
    """Return the labels that documents are filtered by: one in 10, 100, 1,000 at random, or a group of topics."""
    group = int(made.topics[number]) // TOPICS_PER_GROUP
    return {**{f"of{n}": str(number * 7919 % n) for n in (10, 100, 1000)}, "group": str(group)}


def _directions(centres: Matrix, spread: Matrix, noise: float, rng: np.random.Generator) -> Matrix:
    latent = centres + noise * rng.standard_normal(centres.shape, dtype=np.float32)
    vectors = latent @ spread + 0.3 * rng.standard_normal((len(latent), DIMENSION), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def sentence(rng: random.Random, words: int) -> str:
    """Return words that are used as unequally as those of a language."""
    return " ".join(f"word{int(_VOCABULARY ** rng.random())}" for _ in range(words))


def _rows(made: Collection, ids: list[uuid.UUID]) -> Iterator[tuple[Any, ...]]:
    rng = random.Random(7)
    for row, vector in enumerate(made.vectors):
        words = sentence(rng, _WORDS_PER_CHUNK)
        held = lexemes(words)
        yield row + 1, ids[row // CHUNKS_PER_DOCUMENT], words, HalfVector(vector), as_tsvector(held), len(held)


def _copied(connection: Any, table: str, columns: dict[str, str], rows: Iterator[tuple[Any, ...]]) -> None:
    listed = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    connection.execute(f"CREATE TEMP TABLE {table} ({listed}) ON COMMIT DROP")
    with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(list(columns.values()))
        for row in rows:
            copy.write_row(row)


_DOCUMENTS = """
    INSERT INTO documents (id, tenant_id, workspace_id, number, filename, metadata, sha256, size_bytes, status, stage,
                           chunks_done, chunks_total)
    SELECT id, :tenant, :workspace, number, 'document ' || number, metadata::jsonb, number::text, 1, 'ready', 'ready',
           :count, :count FROM new_documents
"""
_CHUNKS = """
    INSERT INTO chunks (id, tenant_id, workspace_id, document_id, chunk_id, chunk_index, start_index, end_index, text,
                        sha256, search, length)
    SELECT key, :tenant, :workspace, document_id, 'chunk ' || key, key, 0, length(text), text, '', search::tsvector,
           length FROM new_chunks
"""
_VECTORS = """
    INSERT INTO chunk_vectors (chunk_id, space_id, tenant_id, workspace_id, document_id, sha256, embedding)
    SELECT key, :space, :tenant, :workspace, document_id, sha256(key::text::bytea), embedding FROM new_chunks
"""
