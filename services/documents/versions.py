"""Puts a new version of a document in force, in the transaction that makes it ready."""

import uuid

from sqlalchemy.orm import Session

from db.models import DocumentStatus
from db.queries.documents.versions import mark_document_ready
from db.queries.verifications.standings import note_new_version
from services.webhooks.outbox import announce_document


def put_in_force(session: Session, document_id: uuid.UUID, attempt: int) -> bool:
    """Search this version in place of the previous one from now on; False when another worker took over.

    If a newer version was ready first, this one is kept as history and not announced.
    """
    status = mark_document_ready(session, document_id, attempt)
    if status is DocumentStatus.READY:
        note_new_version(session, document_id)
        announce_document(session, document_id)
    return status is not None
