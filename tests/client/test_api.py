"""The client against the API itself, on a real database."""

from pathlib import Path

import pytest

from citewell.client import ApiProblem
from db.models import QueryStatus
from db.queries.queries import mark_finished
from db.session import transaction
from tests.client.halves import Half
from tests.factories import make_query

pytestmark = pytest.mark.usefixtures("database")


# N9
def test_documents_are_sent_read_and_deleted(half: Half, api_url: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("hello")
    sent = half(api_url, lambda client: client.upload(path, workspace="w", metadata={"year": 2026}))
    (document,) = half(api_url, lambda client: client.documents("w"))
    assert document == half(api_url, lambda client: client.document(sent["id"]))
    assert (document["id"], document["filename"], document["source"]) == (sent["id"], "a.txt", "python")
    assert document["metadata"]["year"] == 2026
    with pytest.raises(ApiProblem) as caught:
        half(api_url, lambda client: client.document_text(sent["id"]))
    assert caught.value.code == "document_not_read"
    half(api_url, lambda client: client.delete_document(sent["id"]))
    assert half(api_url, lambda client: client.documents("w")) == []


# N9
def test_a_question_is_asked_waited_for_and_looked_at(half: Half, api_url: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("hello")
    half(api_url, lambda client: client.upload(path, workspace="w"))
    query_id = half(api_url, lambda client: client.submit("Why?", workspace="w", mode="high"))["id"]
    assert half(api_url, lambda client: client.wait(query_id, 0))["status"] == "queued"
    (head,) = half(api_url, lambda client: client.queries("w"))
    assert (head["id"], head["mode"]) == (query_id, "high")
    assert half(api_url, lambda client: client.queries("other")) == []
    assert half(api_url, lambda client: client.history(query_id))["id"] == query_id
    assert half(api_url, lambda client: client.quality("w", 10))["queries"] == 0


# N9
def test_waiting_ends_with_the_question(half: Half, api_url: str) -> None:
    with transaction() as session:
        query_id = make_query(session).id
    seen: list[str] = []

    def look(query: dict[str, str]) -> None:
        seen.append(query["status"])
        with transaction() as session:
            mark_finished(session, query_id, QueryStatus.CANCELLED)

    assert half(api_url, lambda client: client.wait(str(query_id), 30, look))["status"] == "cancelled"
    assert seen == ["queued", "cancelled"]


# N9
def test_a_refusal_says_what_to_correct(half: Half, api_url: str) -> None:
    with pytest.raises(ApiProblem, match="low") as caught:
        half(api_url, lambda client: client.submit("Why?", mode="extreme"))
    assert (caught.value.status, caught.value.code) == (422, "mode_unknown")
