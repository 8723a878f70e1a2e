"""Embedding spaces: the model that a workspace's vectors come from, and the vectors of its chunks."""

from collections.abc import Sequence

from citewell_verify.embeddings.protocol import Embedder
from clients.embeddings.factory import embedder_of
from db.indexes import ensure_space_index
from db.models import Workspace
from db.queries.documents.spaces import (
    Space,
    assign_space,
    count_workspaces,
    find_space,
    get_or_add_space,
    known_vectors,
    space_of,
    text_digest,
)
from db.session import reading, system_transaction, transaction
from domain.errors.state import EmbeddingMismatch

_indexed: set[int] = set()
_MOST_REMEMBERED = 10_000


def ensure_space(workspace_id: int, configured: Embedder) -> Space:
    """Return the workspace's space; a workspace without one gets that of the configured model.

    Raises EmbeddingUnavailable, EmbeddingRejected, WorkspaceNotFound.
    """
    with reading() as session:
        space = space_of(session, workspace_id)
    if space is None:
        model, dimension = configured.name, configured.dimension
        with transaction() as session:
            space = assign_space(session, workspace_id, get_or_add_space(session, model, dimension))
    if space.id not in _indexed:
        ensure_space_index(space)
        _indexed.add(space.id)
    return space


_searched: dict[int, Space] = {}


def likely_space(workspace_id: int, configured: Embedder) -> Space | None:
    """The workspace's space, None before its first document; from memory, if this process last searched the workspace
    in a space of the configured model. The caller must check afterwards that it is still the workspace's.
    """
    known = _searched.get(workspace_id)
    if known is not None and (known.model, known.dimension) == (configured.name, configured.dimension):
        return known
    with reading() as session:
        return find_space(session, workspace_id)


def remember_space(workspace_id: int, space: Space | None) -> None:
    if space is None or len(_searched) >= _MOST_REMEMBERED:
        _searched.clear()
    if space is not None:
        _searched[workspace_id] = space


def embedder_for(space: Space, workspace_id: int, configured: Embedder) -> Embedder:
    """Return an embedder for this space: the configured model, or another one that is available.

    Raises EmbeddingMismatch when there is none.
    """
    if configured.name == space.model and configured.dimension == space.dimension:
        return configured
    if available := embedder_of(space.model, space.dimension):
        return available
    with reading() as session:
        name = session.get_one(Workspace, workspace_id).name
    raise EmbeddingMismatch(
        f"Workspace {name!r} holds vectors of {space.model} ({space.dimension} components), but {configured.name} "
        f"({configured.dimension}) is configured. Run `citewell reembed --workspace {name}` (or --all), or configure "
        "that model again, if only under embeddings.earlier."
    )


def unserved_spaces(configured: Embedder) -> list[tuple[Space, int]]:
    """The spaces whose vectors no available model makes, of all tenants, and how many workspaces each has.

    Their questions and documents are refused until they are embedded again.
    """
    with system_transaction() as session:
        used = count_workspaces(session)
    served = configured.name, configured.dimension
    return [
        (space, count)
        for space, count in used
        if (space.model, space.dimension) != served and embedder_of(space.model, space.dimension) is None
    ]


def embed(space: Space, embedder: Embedder, texts: Sequence[str]) -> list[Sequence[float]]:
    """The vectors of `texts`; the model embeds only those that the tenant does not have in this space."""
    digests = [text_digest(text) for text in texts]
    with reading() as session:
        known: dict[bytes, Sequence[float]] = {**known_vectors(session, space, texts)}
    new = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
    known |= dict(zip(new, embedder.encode_documents(list(new.values())).tolist(), strict=True))
    return [known[digest] for digest in digests]
