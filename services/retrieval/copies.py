"""Copies of a document share places in a search: one passage stands for all, and names the documents of the others."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from db.queries.search.copies import list_copies
from db.session import reading
from domain.retrieval.ranking import without_copies

_NAMED = 20
"""At most so many documents are named."""


class CopyOf(NamedTuple):
    """Another document with the same passage."""

    document_id: uuid.UUID
    filename: str


def share_places(
    ranked: Sequence[int], workspaces: Sequence[int], *, is_filtered: bool
) -> tuple[list[int], dict[int, list[CopyOf]]]:
    """The passages `ranked` without copies of better ones, and the documents with the same content as each.

    If documents were filtered only those that were found are named.
    """
    with reading() as session:
        copies = list_copies(session, ranked, workspaces) if len(ranked) else []
    documents = {copy.copy: copy.document_id for copy in copies}
    pairs: dict[int, list[int]] = {}
    named: dict[int, dict[uuid.UUID, CopyOf]] = {}
    found = set(ranked)
    for copy in copies:
        pairs.setdefault(copy.key, []).append(copy.copy)
        if copy.copy in found or not is_filtered:
            named.setdefault(copy.key, {})[copy.document_id] = CopyOf(copy.document_id, copy.filename)
    kept = without_copies(ranked, pairs, documents)
    return kept, {key: list(named[key].values())[:_NAMED] for key in kept if key in named}


def copies_of_cited(
    session: Session, passages: Mapping[int, int], workspaces: Sequence[int]
) -> dict[int, list[dict[str, Any]]]:
    """The documents that have the same passage as a citation now, by what `passages` gives for its key."""
    named: dict[int, dict[uuid.UUID, CopyOf]] = {}
    for copy in list_copies(session, set(passages.values()), workspaces) if passages else ():
        named.setdefault(copy.key, {})[copy.document_id] = CopyOf(copy.document_id, copy.filename)
    return {at: copies_json(list(named[key].values())[:_NAMED]) for at, key in passages.items() if key in named}


def copies_json(copies: Sequence[CopyOf]) -> list[dict[str, Any]]:
    return [{"document_id": copy.document_id, "document_name": copy.filename} for copy in copies]
