"""Versions: a new file under a used name replaces the old one when it is ready, and not before."""

import threading
import uuid
from typing import Any

import pytest

from citewell_verify.embeddings.wheel import default_embedder
from config.settings import IngestionSettings, settings
from db.models import DEFAULT_TENANT
from db.queries.access.workspaces import get_workspace
from db.queries.documents.documents import get_document_text
from db.queries.documents.ingestion import claim_document
from db.queries.documents.versions import mark_document_ready
from db.queries.search.passages import search_text
from db.session import acting_for, reading, transaction
from domain.errors.missing import DocumentNotFound
from services.documents.documents import (
    Accepted,
    NewDocument,
    accept_document,
    read_document,
    read_versions,
    remove_document,
)
from services.documents.ingestion import ingest
from tests.leases import hold
from tests.waiting import at_once

pytestmark = pytest.mark.usefixtures("database")

BROKEN = b"PK\x03\x04 not a text"


def send(text: str | bytes, name: str = "rules.txt", **metadata: Any) -> Accepted:
    content = text.encode() if isinstance(text, str) else text
    return accept_document(NewDocument(name, content, "w", metadata=metadata), settings())


def ingested(text: str | bytes, name: str = "rules.txt") -> uuid.UUID:
    document_id = send(text, name).document_id
    run(document_id)
    return document_id


def run(document_id: uuid.UUID) -> None:
    ingest(document_id, default_embedder(), IngestionSettings(), hold)


def status_of(document_id: uuid.UUID) -> str:
    return read_document(document_id)["status"]


def found(word: str) -> int:
    with reading() as session:
        return len(search_text(session, get_workspace(session, "w").id, word, 10))


def test_a_new_version_takes_the_place_of_the_old_one_when_it_is_ready() -> None:  # N3, A5
    old = ingested("Returns take thirty days.")
    new = send("Returns take sixty days.").document_id
    assert (found("thirty"), found("sixty"), status_of(old)) == (1, 0, "ready")
    run(new)
    assert (found("thirty"), found("sixty")) == (0, 1)
    told = read_document(old)
    assert (told["status"], told["superseded_by"], told["version"]) == ("superseded", str(new), 1)
    assert told["superseded_at"]
    assert (read_document(new)["version"], read_document(new)["status"]) == (2, "ready")
    with reading() as session:
        assert get_document_text(session, old) == "Returns take thirty days."
    assert [each["id"] for each in read_versions(old)] == [str(new), str(old)]


def test_a_new_version_that_fails_leaves_the_old_one_in_force() -> None:  # N3
    old = ingested("Returns take thirty days.", "rules.txt")
    new = ingested(BROKEN, "rules.txt")
    assert (status_of(old), status_of(new), found("thirty")) == ("ready", "failed", 1)


def test_what_was_superseded_can_come_again() -> None:  # N3
    first = ingested("thirty")
    second = ingested("sixty")
    again = send("thirty")
    assert again.created
    run(again.document_id)
    assert [status_of(each) for each in (first, second, again.document_id)] == ["superseded", "superseded", "ready"]
    assert read_document(again.document_id)["version"] == 3
    assert found("thirty") == 1


def test_an_older_version_that_is_read_last_is_history_at_once() -> None:  # A5
    slow, fast = send("thirty").document_id, send("sixty").document_id
    run(fast)
    run(slow)
    assert (status_of(slow), status_of(fast)) == ("superseded", "ready")
    assert read_document(slow)["superseded_by"] == str(fast)
    assert (found("thirty"), found("sixty")) == (0, 1)


def test_the_last_word_counts_while_another_version_is_being_read() -> None:  # A5
    first = ingested("thirty")
    second = send("sixty").document_id
    assert send("thirty").document_id == first
    run(second)
    assert (status_of(first), status_of(second)) == ("ready", "superseded")


def test_a_failed_version_that_comes_again_is_the_newest() -> None:
    broken = ingested(BROKEN)
    good = ingested("thirty")
    again = send(BROKEN)
    assert (again.document_id, again.needs_work, status_of(good)) == (broken, True, "ready")
    assert read_document(broken)["version"] == 3


def test_of_versions_that_come_and_end_at_the_same_time_exactly_the_last_is_in_force() -> None:  # A5
    sent: list[tuple[int, uuid.UUID]] = []

    def one(number: int) -> None:
        with acting_for(DEFAULT_TENANT):
            document_id = send(f"text {number}").document_id
            barrier.wait()
            with transaction() as session:
                claim = claim_document(session, document_id, 20)
            barrier.wait()
            with transaction() as session:
                assert claim
                assert mark_document_ready(session, document_id, claim.attempt)
            sent.append((read_document(document_id)["version"], document_id))

    barrier = threading.Barrier(6)
    at_once(one, 6)
    assert sorted(version for version, _ in sent) == [1, 2, 3, 4, 5, 6]
    statuses = [status_of(document_id) for _, document_id in sorted(sent)]
    assert statuses == ["superseded"] * 5 + ["ready"]


def test_the_same_file_at_the_same_time_is_one_document() -> None:  # A5
    ids: set[uuid.UUID] = set()

    def one(_: int) -> None:
        with acting_for(DEFAULT_TENANT):
            ids.add(send("the same").document_id)

    at_once(one, 6)
    assert len(ids) == 1


def test_the_same_bytes_under_another_name_are_recognised() -> None:  # N3
    first = send("thirty")
    second = send("thirty", "copy.txt")
    assert (first.same_as, second.created, second.same_as) == (None, True, first.document_id)


def test_metadata_that_comes_later_is_added() -> None:  # N3
    first = send("thirty", year=2025, ticker="ACME")
    again = send("thirty", year=2026)
    assert (again.document_id, again.created) == (first.document_id, False)
    assert read_document(first.document_id)["metadata"] == {"year": 2026, "ticker": "ACME"}


def test_deleting_the_version_in_force_brings_none_back() -> None:
    old, new = ingested("thirty"), ingested("sixty")
    remove_document(new)
    told = read_document(old)
    assert (told["status"], told["superseded_by"], found("thirty")) == ("superseded", None, 0)
    remove_document(old, all_versions=True)
    assert send("sixty").created


def test_all_versions_are_deleted_together() -> None:
    old, new, other = ingested("thirty"), ingested("sixty"), ingested("ninety", "other.txt")
    remove_document(new, all_versions=True)
    with reading() as session:
        assert get_document_text(session, other) == "ninety"
    for gone in (old, new):
        with pytest.raises(DocumentNotFound):
            read_document(gone)
