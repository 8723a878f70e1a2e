"""Files of documents in a folder and in a bucket: written before they are named, whole, deleted with the last name."""

import hashlib
import os
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import delete, func, select

from citewell_verify.embeddings.wheel import default_embedder
from config.settings import ConfigurationInvalid, IngestionSettings, settings
from db.base import Base
from db.models import Document, DocumentFile, DocumentObject, DocumentStatus, StoredObject, Tenant
from db.queries.access.keys import get_or_add_tenant
from db.queries.documents.files import announce_object, take_loose
from db.session import acting_for, reading, system_transaction, transaction
from domain.errors.service import DatabaseUnavailable, OriginalDamaged, OriginalUnavailable
from services.documents import relocation
from services.documents.documents import NewDocument, accept_document, read_original, remove_document
from services.documents.files import delete_loose
from services.documents.ingestion import ingest
from services.operations.workspaces import remove_workspace
from tests.leases import hold
from tests.s3 import SECRET, empty_bucket
from tests.s3 import endpoint as endpoint

SMALL = b"Small files stay in the database."
LARGE = b"All returns must be made within 30 days of purchase. " * 100


class Place(NamedTuple):
    """Where files go; `files` are those there, by what their names end with."""

    name: str
    files: Callable[[], dict[str, bytes]]
    spoil: Callable[[str, bytes], object]
    lose: Callable[[], object]


def configure(patch: pytest.MonkeyPatch, **values: str) -> None:
    for name, value in values.items():
        patch.setenv(f"CITEWELL_ORIGINALS__{name.upper()}", value)
    settings.cache_clear()


@pytest.fixture(params=["folder", "s3"])
def place(
    request: pytest.FixtureRequest, database: str, tmp_path: Path, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> Place:
    assert database
    configure(monkeypatch, store=request.param, above_bytes="1000")
    return folder(tmp_path, monkeypatch) if request.param == "folder" else bucket(endpoint, monkeypatch)


def folder(root: Path, patch: pytest.MonkeyPatch) -> Place:
    configure(patch, folder=str(root))

    def files() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in root.rglob("*") if path.is_file()}

    def spoil(name: str, content: bytes) -> None:
        next(root.rglob(name)).write_bytes(content)

    return Place("folder", files, spoil, lambda: configure(patch, folder=str(root / "unmounted")))


def bucket(endpoint: str, patch: pytest.MonkeyPatch) -> Place:
    store: Any = empty_bucket(endpoint, "originals")
    configure(patch, s3__endpoint=endpoint, s3__bucket="originals", s3__prefix="ours/", s3__access_key="key")
    configure(patch, s3__secret_key=SECRET)

    def files() -> dict[str, bytes]:
        found = [each["path"] for batch in store.list() for each in batch]
        assert all(path.startswith("ours/") for path in found)
        return {path.rpartition("/")[2]: bytes(store.get(path).bytes()) for path in found}

    def spoil(name: str, content: bytes) -> None:
        (path,) = [each["path"] for batch in store.list() for each in batch if each["path"].endswith(name)]
        store.put(path, content)

    return Place("s3", files, spoil, lambda: configure(patch, s3__endpoint="http://127.0.0.1:9"))


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def send(content: bytes, name: str = "policy.txt", workspace: str = "w") -> uuid.UUID:
    return accept_document(NewDocument(name, content, workspace), settings()).document_id


def announce_impatiently(content: bytes) -> None:
    with transaction() as session:
        session.connection().exec_driver_sql("SET LOCAL lock_timeout = 200")
        announce_object(session, "folder", digest(content), len(content))


def count(table: type[Base]) -> int:
    with system_transaction() as session:
        return session.execute(select(func.count()).select_from(table)).scalar_one()


def test_large_files_lie_outside_and_small_ones_in_the_database(place: Place) -> None:  # N3
    large, small = send(LARGE), send(SMALL, "small.txt")
    assert place.files() == {digest(LARGE): LARGE}
    assert (count(DocumentFile), count(DocumentObject)) == (1, 1)
    assert read_original(large) == ("policy.txt", LARGE)
    assert read_original(small) == ("small.txt", SMALL)
    ingest(large, default_embedder(), IngestionSettings(), hold)
    with reading() as session:
        document = session.get_one(Document, large)
        assert (document.status, document.text) == (DocumentStatus.READY, LARGE.decode())


def test_a_file_goes_with_the_last_document_that_has_it(place: Place) -> None:  # N3, A8
    one, other = send(LARGE), send(LARGE, "same.txt", "other")
    remove_document(one)
    assert delete_loose(grace_s=0) == 0
    assert read_original(other)[1] == LARGE
    remove_document(other)
    assert delete_loose() == 0  # somebody may be about to name it
    assert delete_loose(grace_s=0) == 1
    assert place.files() == {}
    assert count(StoredObject) == 0


def test_rows_that_no_program_wrote_lead_nowhere_and_hold_up_nothing(place: Place) -> None:  # A8
    # As a backup of unknown origin may have them.
    with transaction() as session:
        for sha256 in ("../../secret", "/etc/passwd", "..", "a" * 63, "A" * 64):
            announce_object(session, place.name, sha256, 10)
    document = send(LARGE)
    remove_document(document)
    assert delete_loose(grace_s=0) == 6
    assert place.files() == {}
    assert count(StoredObject) == 0


def test_a_workspace_that_is_deleted_takes_its_files_along(place: Place) -> None:  # N3, A8
    for number in range(3):
        send(LARGE + bytes([48 + number]), f"{number}.txt")
    kept = send(LARGE, "kept.txt", "other")
    assert remove_workspace("w", "w", 10, lambda _: None)
    assert delete_loose(grace_s=0) == 3
    assert place.files() == {digest(LARGE): LARGE}
    assert read_original(kept)[1] == LARGE


def test_nobodys_file_depends_on_another_tenant(place: Place) -> None:  # A8
    own = send(LARGE)
    with system_transaction() as session:
        stranger = get_or_add_tenant(session, "stranger", "whsec_")
    with acting_for(stranger):
        theirs = send(LARGE)
        assert read_original(theirs)[1] == LARGE
        assert count(StoredObject) == 2
        remove_document(theirs)
        send(LARGE + b"2", "other.txt")
    with system_transaction() as session:
        session.execute(delete(Tenant).where(Tenant.id == stranger))
    assert delete_loose(grace_s=0) == 2
    assert read_original(own)[1] == LARGE
    assert len(place.files()) == 1


def test_what_a_writer_left_that_ended_before_its_document_is_deleted(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:  # N3, A5
    def end(*_: object, **__: object) -> None:
        raise DatabaseUnavailable

    with monkeypatch.context() as patch:
        patch.setattr("services.documents.documents.rows.add_document", end)
        with pytest.raises(DatabaseUnavailable):
            send(LARGE)
    assert count(Document) == 0
    assert place.files() == {digest(LARGE): LARGE}
    assert delete_loose(grace_s=0) == 1
    assert place.files() == {}
    assert read_original(send(LARGE))[1] == LARGE


def test_a_damaged_file_is_not_given_to_anybody_and_is_whole_when_it_is_sent_again(place: Place) -> None:  # N3, N6
    document = send(LARGE)
    place.spoil(digest(LARGE), LARGE.replace(b"30", b"60"))
    with pytest.raises(OriginalDamaged):
        read_original(document)
    assert send(LARGE) == document
    assert read_original(document)[1] == LARGE


def test_nothing_is_half_stored_while_the_place_is_away(place: Place) -> None:  # N3, A5
    known = send(LARGE)
    place.lose()
    with pytest.raises(OriginalUnavailable, match=r"check `originals"):
        send(LARGE + b"2", "second.txt")
    assert count(Document) == 1
    assert read_original(send(SMALL, "small.txt"))[1] == SMALL
    with pytest.raises(OriginalUnavailable):
        read_original(known)
    # A worker leaves it to the next attempt, and does not count this one.
    with pytest.raises(OriginalUnavailable):
        ingest(known, default_embedder(), IngestionSettings(), hold)
    with reading() as session:
        document = session.get_one(Document, known)
        assert (document.status, document.idle) == (DocumentStatus.QUEUED, 0)
        assert (document.error or {}).get("code") == "original_unavailable"
    remove_document(known)
    assert delete_loose(grace_s=0) == 0
    assert count(StoredObject) == 2  # tried again when it is back


def test_files_are_moved_to_where_the_settings_say_and_back(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:  # N3, A5
    configure(monkeypatch, store="database")
    ids = [send(LARGE + bytes([48 + number]), f"{number}.txt") for number in range(5)]
    small = send(SMALL, "small.txt")
    configure(monkeypatch, store=place.name)
    said: list[int] = []

    def stop(so_far: relocation.Moved) -> None:
        said.append(so_far.files)
        if said == [1, 2]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        relocation.move_files(stop)
    assert relocation.where_files_are()[place.name][0] == 2
    assert relocation.move_files(stop).files == 3
    assert relocation.move_files(stop).files == 0
    sizes = {place.name: (5, 5 * (len(LARGE) + 1)), "database": (1, len(SMALL))}
    assert relocation.where_files_are() == sizes
    assert len(place.files()) == 5
    assert [read_original(each)[1] for each in ids] == [LARGE + bytes([48 + number]) for number in range(5)]
    configure(monkeypatch, above_bytes="10")
    assert relocation.move_files(stop).files == 1
    assert read_original(small)[1] == SMALL
    configure(monkeypatch, store="database")
    assert relocation.move_files(stop).files == 6
    assert delete_loose(grace_s=0) == 6
    assert place.files() == {}
    assert read_original(ids[0])[1] == LARGE + b"0"


def test_a_damaged_file_is_told_of_and_stays_where_it_is(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:  # N3
    good, bad = send(LARGE), send(LARGE + b"2", "bad.txt")
    place.spoil(digest(LARGE + b"2"), b"")
    configure(monkeypatch, store="database")
    moved = relocation.move_files(lambda _: None)
    assert (moved.files, moved.damaged) == (1, [bad])
    assert read_original(good)[1] == LARGE
    assert count(DocumentObject) == 1


def test_a_file_from_before_is_read_although_new_ones_go_elsewhere(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:  # N3
    document = send(LARGE)
    configure(monkeypatch, store="database")
    assert read_original(document)[1] == LARGE
    assert read_original(send(LARGE + b"2", "second.txt"))[1] == LARGE + b"2"
    assert len(place.files()) == 1


def test_a_folder_that_was_not_written_to_is_no_reason_to_forget_files(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # N3, A5
    assert database
    (tmp_path / "mounted").mkdir()
    (tmp_path / "empty").mkdir()
    configure(monkeypatch, store="folder", above_bytes="0", folder=str(tmp_path / "mounted"))
    remove_document(send(LARGE))
    configure(monkeypatch, folder=str(tmp_path / "empty"))
    assert delete_loose(grace_s=0) == 0
    assert count(StoredObject) == 1
    configure(monkeypatch, folder=str(tmp_path / "mounted"))
    assert delete_loose(grace_s=0) == 1
    assert not [path for path in (tmp_path / "mounted").rglob("*") if path.is_file()]


def test_drafts_of_writers_that_were_killed_are_removed(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # N3, A5
    assert database
    configure(monkeypatch, store="folder", above_bytes="0", folder=str(tmp_path))
    send(LARGE)
    old, new = (tmp_path / "drafts" / name for name in ("old", "new"))
    for draft in (old, new):
        draft.write_bytes(b"half")
    os.utime(old, (1, 1))
    delete_loose()
    assert (old.exists(), new.exists()) == (False, True)
    assert (tmp_path / "drafts").stat().st_mode & 0o077 == 0


def test_a_writer_waits_for_the_deletion_of_the_same_file_and_writes_it_anew(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # N3, A5
    assert database
    configure(monkeypatch, store="folder", above_bytes="0", folder=str(tmp_path))
    remove_document(send(LARGE))
    with system_transaction() as sweeper:
        assert take_loose(sweeper, ["folder"], 0)
        with pytest.raises(DatabaseUnavailable):
            announce_impatiently(LARGE)
    assert read_original(send(LARGE))[1] == LARGE
    assert delete_loose(grace_s=0) == 0


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"store": "folder"}, "needs `folder`"),
        ({"store": "s3"}, "needs `s3.bucket`"),
        ({"store": "folder", "folder": "here"}, "must begin with /"),
        ({"store": "tape"}, "store"),
    ],
)
def test_settings_that_name_no_place_are_refused(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, str], said: str
) -> None:  # N3
    configure(monkeypatch, **values)
    with pytest.raises(ConfigurationInvalid, match=said):
        settings()
    monkeypatch.undo()
    settings.cache_clear()
