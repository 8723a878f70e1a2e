"""Moves the files of documents to the places that the settings want, one by one: a moved file stays moved."""

import hashlib
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from config.settings import settings
from db.queries.documents import files as rows
from db.queries.documents.files import Misplaced
from db.session import acting_for, system_transaction, transaction
from domain.errors.missing import DocumentNotFound
from domain.errors.service import OriginalDamaged
from services.documents.files import read_file, write_outside

_LISTED_AT_ONCE = 200


@dataclass(slots=True)
class Moved:
    """The result of a run: the moved files, and the documents whose damaged files it left where they are."""

    files: int = 0
    size_bytes: int = 0
    damaged: list[uuid.UUID] = field(default_factory=list[uuid.UUID])


def where_files_are() -> dict[str, tuple[int, int]]:
    """Return for each place the number of documents whose file is there, and the bytes of these files."""
    with system_transaction() as session:
        return rows.sum_places(session)


def move_files(on_progress: Callable[[Moved], object]) -> Moved:
    """Move all files that are elsewhere than `originals` says; workers delete the old copies later.

    The move can be interrupted. Raises OriginalUnavailable, DatabaseUnavailable; files that were moved before stay
    moved.
    """
    moved = Moved()
    for misplaced in _misplaced():
        with acting_for(misplaced.tenant_id):
            try:
                done = _move(misplaced)
            except DocumentNotFound:
                continue
            except OriginalDamaged:
                moved.damaged.append(misplaced.document_id)
                continue
        if done:
            moved.files += 1
            moved.size_bytes += misplaced.size_bytes
            on_progress(moved)
    return moved


def _misplaced() -> Iterator[Misplaced]:
    originals, after = settings().originals, None
    while True:
        with system_transaction() as session:
            files = rows.list_misplaced(
                session, originals.store, originals.above_bytes, after=after, limit=_LISTED_AT_ONCE
            )
        if not files:
            return
        yield from files
        after = files[-1].document_id


def _move(misplaced: Misplaced) -> bool:
    content = read_file(misplaced.document_id)
    if content is None:
        return False
    digest = hashlib.sha256(content).hexdigest()
    place = write_outside(content, digest)
    with transaction() as session:
        return rows.move_file(session, misplaced.document_id, content, digest, place)
