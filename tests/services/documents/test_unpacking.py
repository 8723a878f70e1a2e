"""An archive becomes documents, each file once, whatever ends the worker meanwhile."""

import io
import uuid
from typing import Any

import pytest
from sqlalchemy import func, select, text

from citewell_documents.errors import ArchiveTypeUnknown, DocumentUnreadable
from citewell_verify.embeddings.wheel import default_embedder
from config.settings import IngestionSettings, settings
from db.models import Document, ImportPart
from db.queries.documents.imports import claim_import, list_unstarted_imports
from db.session import reading, system_transaction, transaction
from services.documents.imports import NewImport, accept_import, read_import
from services.documents.ingestion import ingest
from services.documents.unpacking import MAX_STRIKES, unpack
from tests.archives import encrypted, zipped
from tests.leases import hold, lose

pytestmark = pytest.mark.usefixtures("database")

FILES = {"a.txt": "one fish", "deep/b.md": "# Two\n\nfish", "c.txt": "red fish"}


def send(data: bytes, name: str = "some.zip", **metadata: Any) -> uuid.UUID:
    return accept_import(NewImport(name, io.BytesIO(data), "w", "test", metadata)).import_id


class Started(list[uuid.UUID]):
    """The documents whose ingestion was started."""

    def ingest(self) -> None:
        while self:
            ingest(self.pop(0), default_embedder(), IngestionSettings(), hold)


def documents() -> dict[str, str]:
    with reading() as session:
        return dict(session.execute(select(Document.filename, Document.status)).all())


def counts(import_id: uuid.UUID) -> dict[str, int]:
    return {status: count for status, count in read_import(import_id)["documents"].items() if count}


def test_an_archive_becomes_documents_and_is_finished_with_the_last_of_them() -> None:  # N3, A5
    started = Started()
    import_id = send(zipped(FILES), year=2026)
    assert read_import(import_id)["status"] == "queued"
    assert not unpack(import_id, settings(), hold, started.append)
    told = read_import(import_id)
    assert (told["status"], told["total"], told["accepted"], told["skipped"]) == ("running", 3, 3, [])
    assert counts(import_id) == {"queued": 3}
    started.ingest()
    told = read_import(import_id)
    assert (told["status"], counts(import_id), told["failures"]) == ("finished", {"ready": 3}, [])
    assert told["finished_at"]
    assert documents() == dict.fromkeys(FILES, "ready")
    with reading() as session:
        assert all(details["year"] == 2026 for details in session.scalars(select(Document.details)))
        assert session.scalar(select(func.count()).select_from(ImportPart)) == 0


def test_each_file_that_is_no_document_has_its_reason() -> None:  # N3, A8
    started = Started()
    odd = {
        "picture.gif": b"GIF89a",
        "inner.zip": zipped({"a.txt": "x"}),
        "../up.txt": "x",
        "empty.txt": "",
        "no_suffix": "x",
        "@link.txt": "/etc/passwd",
    }
    import_id = send(zipped({**FILES, **odd, "broken.pdf": "%PDF-1.7 no", "__MACOSX/._a.txt": "x"}))
    unpack(import_id, settings(), hold, started.append)
    started.ingest()
    told = read_import(import_id)
    assert (told["status"], told["total"], told["accepted"]) == ("finished", 10, 4)
    assert {each["name"]: each["code"] for each in told["skipped"]} == {
        "picture.gif": "document_type_unknown",
        "inner.zip": "document_type_unknown",
        "../up.txt": "document_name_invalid",
        "empty.txt": "document_empty",
        "no_suffix": "document_type_unknown",
        "link.txt": "document_unreadable",
    }
    reasons = {each["name"]: each["message"] for each in told["skipped"]}
    assert "save it as .png" in reasons["picture.gif"]
    assert "archive in an archive" in reasons["inner.zip"]
    ((failed,),) = [[each["filename"] for each in told["failures"]]]
    assert failed == "broken.pdf"


def test_an_archive_that_cannot_be_used_fails_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:  # A8
    monkeypatch.setenv("CITEWELL_INGESTION__IMPORT_MAX_FILES", "2")
    settings.cache_clear()
    import_id = send(zipped(FILES))
    assert not unpack(import_id, settings(), hold, Started().append)
    told = read_import(import_id)
    assert (told["status"], told["error"]["code"]) == ("failed", "document_too_large")
    assert "limit is 2" in told["error"]["message"]
    assert documents() == {}


@pytest.mark.parametrize(
    ("data", "error"), [(b"words", ArchiveTypeUnknown), (b"PK\x03\x04 no", DocumentUnreadable)], ids=["text", "cut"]
)
def test_what_is_no_archive_is_not_accepted(data: bytes, error: type[Exception]) -> None:  # A8
    with pytest.raises(error):
        send(data)


def test_encrypted_files_are_told() -> None:  # A8
    import_id = send(encrypted(FILES))
    unpack(import_id, settings(), hold, Started().append)
    told = read_import(import_id)
    assert (told["status"], {each["code"] for each in told["skipped"]}) == ("finished", {"document_encrypted"})


def test_what_a_dead_worker_began_goes_on_without_duplicates() -> None:  # A5
    started = Started()

    def dying(document_id: uuid.UUID) -> None:
        started.append(document_id)
        if len(started) == 2:
            raise KeyboardInterrupt

    import_id = send(zipped(FILES))
    with pytest.raises(KeyboardInterrupt):
        unpack(import_id, settings(), hold, dying)
    assert not unpack(import_id, settings(), hold, started.append)  # its lease is not over yet
    assert read_import(import_id)["accepted"] == 2
    with transaction() as session:
        session.execute(
            text("UPDATE imports SET lease_until = now() - interval '1 s', progress_at = now() - interval '1 s'")
        )
    with system_transaction() as session:
        assert [found for found, _ in list_unstarted_imports(session, older_than_s=0)] == [import_id]
    unpack(import_id, settings(), hold, started.append)
    assert len(started) == len(set(started)) == 3
    started.ingest()
    assert (read_import(import_id)["status"], counts(import_id)) == ("finished", {"ready": 3})


def test_a_worker_that_died_between_a_document_and_its_note_leaves_no_second_one() -> None:  # A5
    import_id = send(zipped(FILES))
    unpack(import_id, settings(), hold, Started().append)
    with transaction() as session:
        session.execute(text("UPDATE imports SET unpacked_at = NULL"))
        session.execute(text("DELETE FROM import_members WHERE position = 1"))
        session.execute(text("INSERT INTO import_parts (import_id, position, content) VALUES (:id, 0, :data)"),
                        {"id": import_id, "data": zipped(FILES)})  # fmt: skip
        session.execute(text("UPDATE imports SET lease_until = NULL"))
    unpack(import_id, settings(), hold, Started().append)
    assert counts(import_id) == {"queued": 3}
    assert len(documents()) == 3


def test_a_worker_that_was_overtaken_stores_nothing_more() -> None:  # A5
    import_id, started = send(zipped(FILES)), Started()

    def overtaken(document_id: uuid.UUID) -> None:
        started.append(document_id)
        with transaction() as session:
            session.execute(text("UPDATE imports SET attempt = attempt + 1"))

    unpack(import_id, settings(), hold, overtaken)
    assert (len(started), read_import(import_id)["accepted"]) == (1, 1)


def test_a_large_archive_lets_others_in_between() -> None:
    import_id, started = send(zipped(FILES)), Started()
    assert unpack(import_id, settings(), hold, started.append, slice_s=-1)
    assert (started, read_import(import_id)["status"]) == ([], "running")
    assert not unpack(import_id, settings(), hold, started.append)
    assert counts(import_id) == {"queued": 3}


def test_an_archive_that_ends_its_workers_is_given_up() -> None:  # A5
    import_id = send(zipped(FILES))
    with transaction() as session:
        for _ in range(MAX_STRIKES):
            assert claim_import(session, import_id, lease_s=-1)
    unpack(import_id, settings(), hold, Started().append)
    assert read_import(import_id)["error"]["code"] == "import_gave_up"


def test_the_same_archive_is_taken_once_while_it_is_under_way() -> None:  # A5
    first, started = send(zipped(FILES)), Started()
    assert send(zipped(FILES)) == first
    assert send(zipped(FILES), year=2026) != first
    unpack(first, settings(), hold, started.append)
    started.ingest()
    assert read_import(first)["status"] == "finished"
    again = send(zipped(FILES))
    assert again != first
    unpack(again, settings(), hold, started.append)
    assert (started, read_import(again)["status"], counts(again)) == ([], "finished", {"ready": 3})


def test_a_renewal_that_finds_itself_taken_over_ends_the_unpacking() -> None:
    import_id, started = send(zipped(FILES)), Started()
    assert not unpack(import_id, settings(), lose("imports"), started.append)
    assert (started, counts(import_id)) == ([], {})
    with transaction() as session:
        session.execute(text("UPDATE imports SET lease_until = NULL"))
    unpack(import_id, settings(), hold, started.append)
    assert counts(import_id) == {"queued": 3}
