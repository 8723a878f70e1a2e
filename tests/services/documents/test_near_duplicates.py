"""A document that is nearly the same as another of its workspace says so, in English and Korean."""

import uuid
from typing import Any

import pytest
from sqlalchemy import text

from citewell_verify.embeddings.wheel import default_embedder
from config.settings import IngestionSettings, settings
from db.session import reading
from services.documents.documents import NewDocument, accept_document, read_document, remove_document
from services.documents.ingestion import ingest
from tests.leases import hold

pytestmark = pytest.mark.usefixtures("database")

ENGLISH = " ".join(
    f"Rule {n}: returns of kind {n * 7} are accepted within {n + 10} days of purchase." for n in range(40)
)
KOREAN = " ".join(
    f"제{n}조 반품은 구매일로부터 {n + 10}일 이내에 신청하여야 하며 비용은 {n * 7}원이다." for n in range(40)
)


def add(filename: str, content: str, workspace: str = "w") -> uuid.UUID:
    document_id = accept_document(NewDocument(filename, content.encode(), workspace), settings()).document_id
    assert ingest(document_id, default_embedder(), IngestionSettings(), hold)
    return document_id


def near(document_id: uuid.UUID) -> dict[str, Any] | None:
    return read_document(document_id)["near_duplicate_of"]


@pytest.mark.parametrize("content", [ENGLISH, KOREAN], ids=["English", "Korean"])
def test_a_copy_with_a_changed_sentence_names_the_document_that_was_there(content: str) -> None:
    first = add("first.txt", content)
    copy = add("copy.md", f"{content[:300]} 2026 {content[300:]}")
    assert near(first) is None
    found = near(copy)
    assert found is not None
    assert (found["id"], found["filename"]) == (str(first), "first.txt")
    assert 0.9 <= found["similarity"] <= 1


def test_other_texts_other_workspaces_and_own_versions_are_no_near_duplicates() -> None:
    first = add("first.txt", ENGLISH)
    assert near(add("korean.txt", KOREAN)) is None
    assert near(add("elsewhere.txt", ENGLISH, "other")) is None
    version = add("first.txt", f"{ENGLISH} One more.")
    assert (read_document(first)["status"], near(version)) == ("superseded", None)


def test_what_is_not_in_force_any_more_is_not_named() -> None:
    first = add("first.txt", ENGLISH)
    copy = add("copy.txt", ENGLISH)
    add("first.txt", KOREAN)
    found = near(add("third.txt", ENGLISH))
    assert found is not None
    assert (found["id"], found["similarity"]) == (str(copy), 1.0)
    remove_document(first)
    assert near(copy) is None


@pytest.mark.slow
def test_many_copies_are_compared_with_few() -> None:
    for number in range(30):
        add(f"{number}.txt", f"{ENGLISH} Copy {number}.")
    with reading() as session:
        plan = session.execute(text("SELECT count(*), count(DISTINCT band) FROM fingerprint_bands")).one()
    assert plan[0] == 30 * 16
    assert near(add("last.txt", ENGLISH)) is not None
