"""Passages with the same content in copies of a document: of the same bytes, or nearly the same as far as is known."""

import uuid
from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from db.queries.documents.reingestions import MARK


class PassageCopy(NamedTuple):
    """`copy` has the content of the passage `key`, in another document."""

    key: int
    copy: int
    document_id: uuid.UUID
    filename: str


# A vector's digest is of exactly what was embedded: the text with what it belongs to. Similarities are estimates, and
# what differs in a near-duplicate is no copy, nor what two documents merely have in common.
_COPIES = text(f"""
    SELECT DISTINCT own.chunk_id, same.chunk_id, same.document_id, same.filename
    FROM chunk_vectors AS own
    JOIN documents AS its ON its.id = own.document_id
    CROSS JOIN LATERAL (
        SELECT held.chunk_id, held.document_id, documents.filename
        FROM chunk_vectors AS held JOIN documents ON documents.id = held.document_id
        WHERE held.tenant_id = own.tenant_id AND held.space_id = own.space_id AND held.sha256 = own.sha256
            AND held.document_id <> own.document_id AND NOT held.excluded
            AND documents.status = 'ready' AND documents.workspace_id = ANY (:workspaces)
            AND (
                rtrim(documents.sha256, '{MARK}') = rtrim(its.sha256, '{MARK}')
                OR EXISTS (
                    SELECT FROM document_fingerprints AS prints
                    WHERE (prints.document_id, prints.near_duplicate_of)
                        IN ((documents.id, its.id), (its.id, documents.id)) AND prints.similarity >= :alike
                )
            )
        ORDER BY held.chunk_id <> ALL (:keys), held.chunk_id LIMIT :most
    ) AS same
    WHERE own.chunk_id = ANY (:keys)
    ORDER BY own.chunk_id, same.chunk_id
""")  # noqa: S608 - only constants are put together
_ALIKE = 0.99
_MOST = 100


def list_copies(session: Session, keys: Collection[int], workspaces: Collection[int]) -> list[PassageCopy]:
    """The copies of these passages in documents in force of these workspaces; at most a hundred of each."""
    values = {"keys": list(keys), "workspaces": list(workspaces), "alike": _ALIKE, "most": _MOST}
    return [PassageCopy(*row) for row in session.execute(_COPIES, values)]
