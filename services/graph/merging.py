"""Merges the entities and relations that the chunks state, and stores the vectors that find them (S5.1)."""

import uuid
from collections.abc import Callable, Sequence

from citewell_verify.embeddings.protocol import Embedder
from db.models import Entity, Relation
from db.queries.documents import graph_storing as store
from db.session import reading, transaction

_AT_A_TIME = 64


def vectors_of(embedder: Embedder) -> str:
    """Return the identity of comparable vectors: model and number of components."""
    return f"{embedder.name}/{embedder.dimension}"


def merge_document(workspace_id: int, document_id: uuid.UUID, embedder: Embedder, renew: Callable[[], None]) -> None:
    for table in (Entity, Relation):
        while stale := _stale(table, document_id):
            _embed(workspace_id, table, stale, embedder)
            renew()


def reembed(workspace_id: int, embedder: Embedder) -> None:
    """Recompute the vectors of a workspace's graph with another embedder.

    Searches continue meanwhile: with either embedder they find the rows that already have its vectors. Rows that have
    the new vectors are skipped.
    """
    for table in (Entity, Relation):
        after = 0
        while rows := _rows_after(table, workspace_id, after, vectors_of(embedder)):
            _embed(workspace_id, table, rows, embedder)
            after = rows[-1].id


def _stale(table: store.Row, document_id: uuid.UUID) -> list[store.Stale]:
    with reading() as session:
        return store.stale_rows(session, table, document_id, _AT_A_TIME)


def _rows_after(table: store.Row, workspace_id: int, after: int, model: str) -> list[store.Stale]:
    with reading() as session:
        return store.rows_of_other_models(session, table, workspace_id, model, after, _AT_A_TIME)


def _embed(workspace_id: int, table: store.Row, rows: Sequence[store.Stale], embedder: Embedder) -> None:
    vectors = embedder.encode_documents([row.merged.embedded for row in rows]).tolist()
    with transaction() as session:
        store.lock_graph(session, workspace_id)
        store.save_merged(session, table, rows, vectors, vectors_of(embedder))
