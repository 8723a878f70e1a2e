"""Leases of jobs: one worker at a time holds a row until `lease_until`, and its `attempt` fences the workers before
it."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, or_, update
from sqlalchemy.orm import Session

from db.models import Document, DocumentGraph, Import, Source

Job = type[Document] | type[DocumentGraph] | type[Import] | type[Source]


def is_free(job: Job) -> ColumnElement[bool]:
    """Return the condition that no worker holds the row: it has no lease, or one that ran out by the database's
    clock."""
    return or_(job.lease_until.is_(None), job.lease_until < func.now())


def lease_end(lease_s: float) -> ColumnElement[datetime]:
    return func.now() + timedelta(seconds=lease_s)


def extend_lease(
    session: Session, job: Job, held: Iterable[ColumnElement[bool]], lease_s: float, **values: object
) -> bool:
    """Store values of the job and extend its lease, if its row is still as the worker `held` it; False otherwise."""
    extended = update(job).where(*held).values(lease_until=lease_end(lease_s), **values)
    return session.scalar(extended.returning(job.attempt)) is not None
