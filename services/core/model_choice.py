"""The models in use: the settings of the configuration with the models that were chosen on the dashboard, and the
embedding spaces of workspaces, each with the model that its vectors come from.

A choice applies to work that is accepted after it: its id is stored in the options of each query, and all steps of the
query use `settings_of` that id. So a switch needs no restart, and no query mixes two choices.
"""

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import structlog
from pydantic import ValidationError

from citewell_verify.embeddings.protocol import Embedder
from clients.embeddings.factory import embedder_of
from clients.stored_secrets import decrypted
from config.settings import Settings, settings
from db.indexes import ensure_space_index
from db.models import ModelChoice, Workspace
from db.queries.access import model_choices as rows
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
from domain.errors.service import DatabaseUnavailable, SecretUnreadable
from domain.errors.state import EmbeddingMismatch

log = structlog.get_logger()

FRESH_S = 1.0
"""How long a process uses the choice that it read last."""
_REMEMBERED = 8


_reading = threading.Lock()
_indexed: set[int] = set()
_MOST_REMEMBERED = 10_000
_searched: dict[int, Space] = {}


@dataclass(frozen=True, slots=True)
class _Seen:
    """The settings in use as they were read at `read_at` (monotonic seconds), over those of the configuration."""

    configured: Settings
    read_at: float
    settings: Settings


_seen: _Seen | None = None


def can_count(configured: Settings) -> bool:
    """Return whether a choice on the dashboard counts: the configuration names no model, and does not forbid the
    choice."""
    return configured.model_setting is None and configured.models.from_page != "forbidden"


def current_settings() -> Settings:
    """Return the settings for new work. While the database is away they are those that were read last. Raises
    SecretUnreadable."""
    global _seen
    configured = settings()
    if not can_count(configured):
        return configured
    seen = _seen if _seen and _seen.configured is configured else None
    is_stale = seen is None or time.monotonic() - seen.read_at >= FRESH_S
    # While one thread reads, the others use the settings that were read last.
    if is_stale and _reading.acquire(blocking=seen is None):
        began = time.monotonic()
        try:
            seen = _Seen(configured, began, _read(configured))
        except DatabaseUnavailable:
            seen = _Seen(configured, time.monotonic(), seen.settings if seen else configured)
        finally:
            _reading.release()
        _seen = seen
    return seen.settings if seen else configured


def settings_without_model() -> Settings:
    """Return the settings for work that asks no model: those of the configuration where the key of the choice cannot be
    read."""
    try:
        return current_settings()
    except SecretUnreadable:
        return settings()


def last_settings() -> Settings:
    """Return the settings that were read last, without the database."""
    return _seen.settings if _seen and _seen.configured is settings() else settings()


def forget() -> None:
    """Read the choice again before it is next needed."""
    global _seen
    if _seen:
        _seen = replace(_seen, read_at=-math.inf)


def settings_of(choice: int | None) -> Settings:
    """Return the settings for work that was accepted with this choice. Raises DatabaseUnavailable, SecretUnreadable."""
    return settings() if choice is None else _stored(choice)


def _read(configured: Settings) -> Settings:
    with system_transaction() as session:
        row = rows.find_current(session)
        return configured if row is None else chosen_settings(row)


@lru_cache(_REMEMBERED)
def _stored(choice: int) -> Settings:
    with system_transaction() as session:
        row = rows.find_choice(session, choice)
        return settings() if row is None else chosen_settings(row)


def chosen_settings(row: ModelChoice, *, with_key: bool = True) -> Settings:
    """Return the settings with the models of `row`, and their key. Raises SecretUnreadable."""
    values: dict[str, Any] = dict(row.settings)
    key = decrypted(row.api_key, settings()) if row.api_key and with_key else ""
    if values["models"]["provider"] == "groq":
        values["groq_api_key"] = key
    else:
        values["models"] = {**values["models"], "api_key": key}
    try:
        return settings().with_choice(row.id, values)
    except ValidationError as error:
        # Another version of the program may have stored settings that this one does not know.
        fields = [".".join(map(str, problem["loc"])) for problem in error.errors(include_input=False)]
        log.error("model_choice_unusable", choice=row.id, settings=fields)
        return settings()


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


def likely_space(workspace_id: int, configured: Embedder) -> Space | None:
    """Return the workspace's space, None before its first document; from memory, if this process last searched the
    workspace in a space of the configured model. The caller must check afterwards that it is still the workspace's."""
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
    """Return the spaces whose vectors no available model makes, of all tenants, and the number of workspaces of each.

    Questions and documents of these workspaces are refused until they are embedded again.
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
    """Return the vectors of `texts`; the model embeds only texts whose vectors the tenant does not have in this
    space."""
    digests = [text_digest(text) for text in texts]
    with reading() as session:
        known: dict[bytes, Sequence[float]] = {**known_vectors(session, space, texts)}
    new = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
    known |= dict(zip(new, embedder.encode_documents(list(new.values())).tolist(), strict=True))
    return [known[digest] for digest in digests]
