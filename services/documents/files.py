"""The files of documents: small ones in the database, large ones where the settings say (`originals`).

A file outside the database is announced, then written whole, and only then named by its document. A file that no
document names is deleted a while later, so that a document that is about to name it still finds it.
"""

import hashlib
import re
import uuid

import structlog

from clients.object_store.opening import open_objects
from config.settings import settings
from db.queries.documents import files as rows
from db.queries.documents.files import DATABASE
from db.session import current_tenant, reading, system_transaction, transaction
from domain.errors.service import OriginalDamaged, OriginalUnavailable

log = structlog.get_logger()

_SHA256 = re.compile("[0-9a-f]{64}")
# Longer than any writer takes from the announcement to the commit of its document.
GRACE_S = 900.0


def place_of(size_bytes: int) -> str:
    """Return the place that the settings want for a file of this size."""
    originals = settings().originals
    return originals.store if size_bytes > originals.above_bytes else DATABASE


def write_outside(content: bytes, sha256: str) -> str:
    """Write a large file to its place and return the place. A file for `database` is left to the caller's transaction.

    Raises OriginalUnavailable, DatabaseUnavailable.
    """
    place = place_of(len(content))
    if place == DATABASE:
        return place
    objects = open_objects(place, settings().originals)
    with transaction() as session:
        rows.announce_object(session, place, sha256, len(content))
    objects.put(_key(current_tenant(), sha256), content)
    return place


def read_file(document_id: uuid.UUID) -> bytes | None:
    """Return the file of a document, as it was sent; None if it is not stored any more.

    Raises DocumentNotFound, OriginalUnavailable, OriginalDamaged, DatabaseUnavailable.
    """
    with reading() as session:
        stored = rows.find_stored(session, document_id)
    if stored is None or stored.place is None:
        return stored and stored.content
    content = open_objects(stored.place, settings().originals).get(_key(current_tenant(), stored.sha256))
    if hashlib.sha256(content).hexdigest() != stored.sha256:
        log.error("original_damaged", document_id=str(document_id), place=stored.place)
        raise OriginalDamaged
    return content


def check_place() -> None:
    """Write, read and delete a file in the place of large files. Raises OriginalUnavailable."""
    originals = settings().originals
    if originals.store == DATABASE:
        return
    objects, key = open_objects(originals.store, originals), f"probe/{uuid.uuid4().hex}"
    objects.put(key, b"probe")
    try:
        objects.get(key)
    finally:
        objects.delete(key)


def delete_loose(limit: int = 500, grace_s: float = GRACE_S) -> int:
    """Delete up to `limit` files outside the database that no document names any more; return the number of deleted
    files.

    A place that is unavailable is tried again the next time.
    """
    originals = settings().originals
    places = [
        name for name, is_set in (("folder", originals.folder), ("s3", originals.s3.bucket)) if is_set is not None
    ]
    deleted = 0
    try:
        while deleted < limit and _delete_one(places, grace_s):
            deleted += 1
        for place in places:
            open_objects(place, originals).tidy()
    except OriginalUnavailable as error:
        log.warning("loose_files_kept", reason=error.message)
    return deleted


def _delete_one(places: list[str], grace_s: float) -> bool:
    while True:
        with system_transaction() as session:
            loose = rows.take_loose(session, places, grace_s)
            if loose is None:
                return False
            if rows.is_named(session, loose):
                rows.keep_object(session, loose)
                continue
            try:
                open_objects(loose.place, settings().originals).delete(_key(loose.tenant_id, loose.sha256))
            except OriginalDamaged:
                # Such a row belongs to no file, and must not keep other files from being deleted.
                log.error("loose_row_damaged", place=loose.place, sha256=loose.sha256)
            rows.drop_object(session, loose)
            return True


def _key(tenant_id: int, sha256: str) -> str:
    """Return the name of a file in its place. The row may come from a restored backup of unknown origin, and the key
    becomes a path, so anything but a hash is refused."""
    if not _SHA256.fullmatch(sha256):
        raise OriginalDamaged
    # Each tenant has a folder, so that no file depends on files that other tenants send or delete.
    return f"{tenant_id}/{sha256[:2]}/{sha256}"
