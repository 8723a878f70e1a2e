"""Documents in force are read again by a filter: nothing twice, and a new version only of what differs."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, text

from citewell_verify.embeddings.wheel import default_embedder
from citewell_verify.errors import BadInput
from config.settings import IngestionSettings, settings
from db.models import Document, DocumentFile
from db.session import reading, transaction
from domain.errors.missing import WorkspaceNotFound
from services.documents.documents import (
    NewDocument,
    accept_document,
    read_document,
    read_original,
    read_versions,
    remove_document,
)
from services.documents.ingestion import ingest
from services.documents.reingestion import Wanted, count_reingested, read_reingestion, reingest
from tests.leases import hold

pytestmark = pytest.mark.usefixtures("database")

RULES = "\n\n".join(f"Rule {n}: returns of kind {n} are accepted within {n + 10} days." for n in range(12))
LIMITS = IngestionSettings()


def add(filename: str, content: str = RULES) -> uuid.UUID:
    document_id = accept_document(NewDocument(filename, content.encode(), "w"), settings()).document_id
    assert ingest(document_id, default_embedder(), LIMITS, hold)
    assert read_document(document_id)["status"] == "ready"
    return document_id


def queued() -> list[uuid.UUID]:
    with reading() as session:
        return list(session.scalars(select(Document.id).where(Document.status == "queued")))


def run_all() -> None:
    for document_id in queued():
        assert ingest(document_id, default_embedder(), LIMITS, hold)


def as_an_earlier_version_read(document_id: uuid.UUID) -> None:
    """The stored text is not what the file gives today."""
    with transaction() as session:
        session.execute(text("UPDATE documents SET text = 'x' || text WHERE id = :id"), {"id": document_id})


def counts(reingestion_id: uuid.UUID) -> tuple[int, int, int, int]:
    seen = read_reingestion(reingestion_id)
    return seen["total"], seen["changed"], seen["unchanged"], seen["failed"]


def test_only_what_differs_gets_a_new_version_and_is_searched_until_then() -> None:
    same, other = add("same.txt"), add("other.txt", RULES.replace("Rule", "Clause"))
    as_an_earlier_version_read(other)
    assert count_reingested(Wanted("w")) == 2
    run, matched = reingest(Wanted("w"))
    assert (matched, read_reingestion(run)["status"]) == (2, "running")
    assert {read_document(each)["status"] for each in (same, other)} == {"ready"}
    run_all()
    assert (read_reingestion(run)["status"], counts(run)) == ("finished", (2, 1, 1, 0))
    assert [each["version"] for each in read_versions(same)] == [1]
    new, old = read_versions(other)
    assert [(each["version"], each["status"]) for each in (new, old)] == [(2, "ready"), (1, "superseded")]
    assert (new["sha256"], old["superseded_by"]) == (old["sha256"], new["id"])
    assert read_original(uuid.UUID(new["id"])) == read_original(other)


def test_what_waits_already_is_not_queued_twice() -> None:
    add("a.txt")
    first, _ = reingest(Wanted("w"))
    second, matched = reingest(Wanted("w"))
    assert (counts(first)[0], counts(second)[0], matched, len(queued())) == (1, 0, 1, 1)
    assert read_reingestion(second)["status"] == "finished"


def test_the_filter_chooses_by_type_time_and_name() -> None:
    add("a.txt")
    add("Notes/b.md", RULES.replace("Rule", "Note"))
    assert count_reingested(Wanted("w", kind="md")) == count_reingested(Wanted("w", kind=".MD")) == 1
    assert count_reingested(Wanted("w", name_contains="notes")) == 1
    now = datetime.now(UTC)
    assert count_reingested(Wanted("w", before=now + timedelta(minutes=1))) == 2
    assert count_reingested(Wanted("w", before=now - timedelta(minutes=1))) == 0
    with pytest.raises(BadInput, match="exe is no file type"):
        count_reingested(Wanted("w", kind="exe"))
    with pytest.raises(WorkspaceNotFound):
        reingest(Wanted("nowhere"))


def test_a_newer_upload_is_not_replaced_by_its_predecessor() -> None:
    old = add("a.txt")
    as_an_earlier_version_read(old)
    newer = accept_document(NewDocument("a.txt", b"Something else entirely.", "w"), settings()).document_id
    assert count_reingested(Wanted("w")) == 0
    ingest(newer, default_embedder(), LIMITS, hold)
    run, _ = reingest(Wanted("w"))
    latest = accept_document(NewDocument("a.txt", b"The latest of all.", "w"), settings()).document_id
    run_all()
    assert counts(run)[1:3] == (0, 1)
    assert [each["id"] for each in read_versions(old) if each["status"] == "ready"] == [str(latest)]


def test_the_same_file_sent_meanwhile_does_not_hide_what_is_read_again() -> None:
    old = add("a.txt")
    as_an_earlier_version_read(old)
    reingest(Wanted("w"))
    assert accept_document(NewDocument("a.txt", RULES.encode(), "w"), settings()).document_id == old
    run_all()
    assert [each["status"] for each in read_versions(old)] == ["ready", "superseded"]


def test_a_deleted_document_does_not_come_back() -> None:
    old = add("a.txt")
    run, _ = reingest(Wanted("w"))
    remove_document(old)
    assert (queued(), read_reingestion(run)["status"]) == ([], "finished")


def test_a_file_that_cannot_be_read_any_more_leaves_the_version_in_force_and_is_tried_by_the_next_run() -> None:
    old = add("a.txt")
    with transaction() as session:
        kept = session.get_one(DocumentFile, old).content
        session.get_one(DocumentFile, old).content = b" "
    first, _ = reingest(Wanted("w"))
    run_all()
    assert (counts(first), read_document(old)["status"]) == ((1, 0, 0, 1), "ready")
    with transaction() as session:
        session.get_one(DocumentFile, old).content = kept
    second, _ = reingest(Wanted("w"))
    run_all()
    assert counts(second) == (1, 0, 1, 0)
    assert [each["version"] for each in read_versions(old)] == [1]


def test_more_than_may_wait_are_refused_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:  # A7
    add("a.txt")
    add("b.txt", RULES.replace("Rule", "Clause"))
    monkeypatch.setenv("CITEWELL_ADMISSION__MAX_DOCUMENTS_QUEUED", "2")
    settings.cache_clear()
    with pytest.raises(BadInput, match="narrow the filter"):
        reingest(Wanted("w"))
    assert queued() == []
