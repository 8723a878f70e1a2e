"""Words that a page hides answer no question and prove no statement, in whichever way they are hidden."""

from typing import Any

import pytest

from document_material.pdf_hidden import HIDDEN, SEEN, hidden_pages
from tests.e2e.stack import Stack

pytestmark = pytest.mark.slow

WAYS = (
    "white on white",
    "half a point high",
    "a layer that is off",
    "below a black bar",
    "below a picture",
    "render mode 3",
    "clipped away",
    "opacity 0",
    "outside the crop box",
    "struck with a line",
)
PAGES = {way: hidden_pages()[way] for way in WAYS}
QUESTION = "Is the deposit waived for members of the board?"


@pytest.fixture(scope="module")
def asked(offline: Stack) -> dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """By way of hiding: the document, the answer from it, and the hidden sentence verified against it."""
    ids = {
        way: offline.send_file(f"{way}.pdf", data, workspace=f"hidden-{at}")
        for at, (way, data) in enumerate(PAGES.items())
    }
    documents = {way: offline.until_ended(identifier) for way, identifier in ids.items()}
    asked = {way: offline.submit(QUESTION, workspace=f"hidden-{at}") for at, way in enumerate(PAGES)}
    queries = {way: offline.wait(query) for way, query in asked.items()}
    return {way: (documents[way], queries[way], _verified(offline, ids[way])) for way in PAGES}


def _verified(offline: Stack, document_id: str) -> dict[str, Any]:
    body = {"answer": f"{HIDDEN[:-1]} [1].", "sources": [{"document_id": document_id}]}
    accepted = offline.http.post("/v1/verifications", json=body).raise_for_status().json()
    path = f"/v1/verifications/{accepted['id']}"
    return offline.http.get(path, params={"wait": 60}).raise_for_status().json()


@pytest.mark.parametrize("way", PAGES)
def test_hidden_words_support_nothing(
    way: str, asked: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]], offline: Stack
) -> None:
    document, query, verification = asked[way]
    assert document["status"] == "ready", document
    assert "hidden_text" in document["metadata"]
    assert offline.stored_text(document["id"]) == SEEN
    sentences: list[dict[str, Any]] = query["verification"]["sentences"] if query["verification"] else []
    assert not [
        sentence for sentence in sentences if "waived" in sentence["text"] and sentence["status"] == "supported"
    ]
    assert verification["status"] == "succeeded"
    assert [sentence["status"] for sentence in verification["sentences"]] != ["supported"]
