"""Tells that a document is nearly the same as another of its workspace."""

import uuid

from sqlalchemy.orm import Session

from db.models import Document
from db.queries.documents import fingerprints as rows
from domain.documents.fingerprints import NEAR, Fingerprint, similarity


def mark_near_duplicate(session: Session, document: Document, prints: Fingerprint) -> None:
    """Store the fingerprint of a document that came into force, and the document that it is most similar to."""
    sharing = rows.list_sharing(session, document.workspace_id, document.filename, prints.bands)
    near = max(
        ((similarity(prints.minima, minima), other) for other, minima in sharing),
        default=(0.0, uuid.UUID(int=0)),
    )
    found = (near[1], near[0]) if near[0] >= NEAR else None
    rows.store_fingerprint(session, document.workspace_id, document.id, prints.minima, prints.bands, found)
