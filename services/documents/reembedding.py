"""Changes the embedding model of a workspace in use: builds new vectors beside the old ones, then switches once.

Until the switch everything uses the old space, including the ingestion of new documents, if the old model is still
available (services.core.model_choice). Finished work is kept: a new run continues where the last one stopped.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from citewell_documents.document import embedded_text
from citewell_verify.embeddings.protocol import Embedder
from db.indexes import ensure_space_index, exclusive_reembedding
from db.queries.access.workspaces import list_workspaces_of, lock_workspace
from db.queries.documents.spaces import (
    Space,
    add_vectors,
    chunks_without_vector,
    count_chunks,
    delete_other_vectors,
    get_or_add_space,
    space_of,
    switch_space,
)
from db.session import acting_for, reading, system_transaction, transaction
from domain.errors.missing import WorkspaceNotFound
from services.core import model_choice
from services.graph import merging

_REMOVED_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class Target:
    tenant_id: int
    workspace_id: int
    name: str


@dataclass(frozen=True, slots=True)
class Reembedded:
    """The result of a run: the number of chunks that got a vector in it, and whether it changed the workspace's
    model."""

    name: str
    model: str
    embedded: int
    switched: bool


Progress = Callable[[int, int], None]
"""A function that is called with the number of chunks that have a vector of the new model, and the number of all
chunks."""


def list_targets(tenant: str | None = None, workspace: str | None = None) -> list[Target]:
    with system_transaction() as session:
        workspaces = list_workspaces_of(session, tenant, workspace)
    if not workspaces and workspace is not None:
        raise WorkspaceNotFound(f"Tenant {tenant!r} has no workspace {workspace!r}.")
    return [Target(row.tenant_id, row.id, row.name) for row in workspaces]


def reembed(target: Target, embedder: Embedder, *, batch: int, on_progress: Progress) -> Reembedded:
    """Give the workspace vectors of `embedder`, `batch` chunks per transaction, then search by these vectors.

    Raises ReembeddingRuns, EmbeddingUnavailable, EmbeddingRejected; vectors that were stored before are kept.
    """
    model, dimension = embedder.name, embedder.dimension
    with acting_for(target.tenant_id), exclusive_reembedding(target.workspace_id):
        with transaction() as session:
            space = get_or_add_space(session, model, dimension)
            before = space_of(session, target.workspace_id)
        embedded = 0
        if before != space:
            embedded = _fill_and_switch(target, space, embedder, batch, on_progress)
        # Graph rows name their own model; the next run completes a run that stopped before this point.
        merging.reembed(target.workspace_id, embedder)
        while True:
            with transaction() as session:
                if not delete_other_vectors(session, target.workspace_id, space, _REMOVED_AT_ONCE):
                    break
        return Reembedded(target.name, model, embedded, switched=before != space)


def _fill_and_switch(target: Target, space: Space, embedder: Embedder, batch: int, on_progress: Progress) -> int:
    embedded = 0
    while True:
        for done in _filled(target, space, embedder, batch, on_progress):
            embedded += done
        # The index is built after most vectors are there, because building is faster than filling.
        ensure_space_index(space)
        if _switched(target, space):
            return embedded


def _filled(target: Target, space: Space, embedder: Embedder, batch: int, on_progress: Progress) -> Iterator[int]:
    with reading() as session:
        total = count_chunks(session, target.workspace_id)
        done = total - count_chunks(session, target.workspace_id, without=space)
    after = 0
    while True:
        on_progress(done, total)
        with reading() as session:
            chunks = chunks_without_vector(session, target.workspace_id, space, after=after, limit=batch)
        if not chunks:
            return
        texts = [embedded_text(chunk) for chunk in chunks]
        vectors = model_choice.embed(space, embedder, texts)
        keys = [chunk.id for chunk in chunks]
        with transaction() as session:
            add_vectors(session, space, list(zip(keys, texts, vectors, strict=True)))
        after, done = keys[-1], done + len(chunks)
        total = max(total, done)
        yield len(chunks)


def _switched(target: Target, space: Space) -> bool:
    with transaction() as session:
        lock_workspace(session, target.workspace_id)
        if chunks_without_vector(session, target.workspace_id, space, limit=1):
            return False
        switch_space(session, target.workspace_id, space)
        return True
