"""Fingerprints: stored when a document comes into force, and compared with the few that share a band with them."""

import uuid
from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy import delete, insert, select, text
from sqlalchemy.orm import Session

from db.models import Document, DocumentFingerprint, FingerprintBand


class NearDuplicate(NamedTuple):
    """The document that another one is nearly the same as."""

    id: uuid.UUID
    filename: str
    similarity: float


# The number of rows is bounded for every workspace: a thousand copies of a form share all their bands.
_SHARING_A_BAND = text("""
SELECT DISTINCT found.document_id, prints.minima
FROM unnest(CAST(:bands AS bigint[])) AS own (band)
CROSS JOIN LATERAL (
    SELECT document_id FROM fingerprint_bands
    WHERE workspace_id = :workspace_id AND fingerprint_bands.band = own.band ORDER BY document_id LIMIT :most
) AS found
JOIN documents ON documents.id = found.document_id AND documents.status = 'ready' AND documents.filename <> :filename
JOIN document_fingerprints AS prints ON prints.document_id = found.document_id
""")
_MOST_OF_A_BAND = 20


def list_sharing(
    session: Session, workspace_id: int, filename: str, bands: Sequence[int]
) -> list[tuple[uuid.UUID, bytes]]:
    """Return (document, minima) of documents in force under other names that share a band; at most twenty for each
    band."""
    values = {"workspace_id": workspace_id, "filename": filename, "bands": list(bands), "most": _MOST_OF_A_BAND}
    return [(document_id, minima) for document_id, minima in session.execute(_SHARING_A_BAND, values)]


def store_fingerprint(
    session: Session,
    workspace_id: int,
    document_id: uuid.UUID,
    minima: bytes,
    bands: Collection[int],
    near: tuple[uuid.UUID, float] | None,
) -> None:
    of, similarity = near or (None, None)
    drop_fingerprints(session, [document_id])
    values = {"document_id": document_id, "minima": minima, "near_duplicate_of": of, "similarity": similarity}
    session.execute(insert(DocumentFingerprint).values(values))
    rows = [{"workspace_id": workspace_id, "band": band, "document_id": document_id} for band in set(bands)]
    session.execute(insert(FingerprintBand), rows)


def drop_fingerprints(session: Session, document_ids: Collection[uuid.UUID]) -> None:
    """Delete the fingerprints of documents that are no longer in force, because nothing is compared with them."""
    for table in (FingerprintBand, DocumentFingerprint):
        session.execute(delete(table).where(table.document_id.in_(document_ids)))


def near_duplicates(session: Session, document_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, NearDuplicate]:
    rows = session.execute(
        select(DocumentFingerprint.document_id, Document.id, Document.filename, DocumentFingerprint.similarity)
        .join(Document, Document.id == DocumentFingerprint.near_duplicate_of)
        .where(DocumentFingerprint.document_id.in_(document_ids))
    )
    return {of: NearDuplicate(near, name, similarity or 0.0) for of, near, name, similarity in rows}
