"""The client against the API itself, on a real database."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from citewell_client import ApiProblem
from citewell_verify.embeddings.wheel import default_embedder
from config.settings import IngestionSettings, settings
from db.models import QueryStatus
from db.queries.access.workspaces import get_or_add_workspace
from db.queries.runs.events import add_events
from db.queries.runs.queries import mark_finished
from db.session import transaction
from services.documents.documents import NewDocument, accept_document
from services.documents.ingestion import ingest
from tests.archives import zipped
from tests.client.halves import Half, sync_half
from tests.factories import make_query
from tests.leases import hold

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
def test_chunks_are_excluded_corrected_and_searches_explained(half: Half, api_url: str) -> None:
    content = b"Returns take 30 days from the day on which the parcel has arrived, at the latest."
    document_id = accept_document(NewDocument("a.txt", content, "w"), settings()).document_id
    ingest(document_id, default_embedder(), IngestionSettings(), hold)
    address = str(document_id)
    assert half(api_url, lambda client: client.exclude_chunk(address, 0, reason="old"))["excluded"]
    assert half(api_url, lambda client: client.explain_search("returns", "w"))["passages"][0]["why_not"] == "excluded"
    assert not half(api_url, lambda client: client.include_chunk(address, 0))["excluded"]
    (chunk,) = half(api_url, lambda client: client.chunks(address, excluded=False))["chunks"]
    made = half(api_url, lambda client: client.correct_chunk(address, 0, chunk["text"].replace("30", "31")))
    found = half(api_url, lambda client: client.explain_search("returns", ["w"], rerank=False, k=1))["passages"]
    assert [each["text"] for each in found] == [made["chunk"]["text"]]
    edits = half(api_url, lambda client: client.document_edits(made["document"]["id"]))
    assert [edit["kind"] for edit in edits] == ["corrected", "included", "excluded"]


# N9
def test_versions_and_archives_are_sent_and_looked_at(half: Half, api_url: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for content in ("first", "second"):
        path.write_text(content)
        sent = half(api_url, lambda client: client.upload(path, workspace="w"))
    assert [each["version"] for each in half(api_url, lambda client: client.versions(sent["id"]))] == [2, 1]
    half(api_url, lambda client: client.delete_document(sent["id"], all_versions=True))
    archive = tmp_path / "some.zip"
    archive.write_bytes(zipped({"a.txt": "words"}))
    begun = half(api_url, lambda client: client.imports.create(archive, workspace="w", metadata={"year": 2026}))
    found = half(api_url, lambda client: client.imports.get(begun["id"]))
    assert (found["filename"], found["status"], found["metadata"]) == ("some.zip", "queued", {"year": 2026})
    assert [each["id"] for each in half(api_url, lambda client: client.imports.list("w"))] == [begun["id"]]


# N9
def test_a_question_is_asked_waited_for_and_looked_at(half: Half, api_url: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("hello")
    half(api_url, lambda client: client.upload(path, workspace="w"))
    query_id = half(api_url, lambda client: client.submit("Why?", workspace="w", mode="high"))["id"]
    assert half(api_url, lambda client: client.wait(query_id, 0))["status"] in {"queued", "running"}
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
def test_the_same_key_asks_once(half: Half, api_url: str) -> None:
    with transaction() as session:
        get_or_add_workspace(session, "w")
    asked = {
        half(api_url, lambda client: client.submit("Why?", workspace="w", idempotency_key="mine"))["id"]
        for _ in range(2)
    }
    assert len(asked) == 1
    assert len(half(api_url, lambda client: client.queries("w"))) == 1


# N9
def test_all_pages_of_questions_are_listed(half: Half, api_url: str) -> None:
    with transaction() as session:
        asked = [str(make_query(session).id) for _ in range(103)]
    found = half(api_url, lambda client: client.queries("w"))
    assert sorted(head["id"] for head in found) == sorted(asked)
    assert half(api_url, lambda client: client.queries("w", limit=101)) == found[:101]
    assert half(api_url, lambda client: client.queries("w", created_before="2020-01-01T00:00:00Z")) == []


# N9
def test_events_are_read_live_and_end_with_the_question(half: Half, api_url: str) -> None:
    with transaction() as session:
        query_id = make_query(session).id
    told = [("stage", {"stage": "generate"}), ("draft", {"start": 0, "text": "Thirty – 30 – days"}), ("new", {"a": 1})]
    with transaction() as session:
        add_events(session, query_id, told)
    stream = half(api_url, lambda client: cancelled_after(3, client.events(str(query_id)), api_url, str(query_id)))
    assert [(event["type"], event["data"]) for event in stream[:3]] == told
    assert [event["id"] for event in stream] == [1, 2, 3, 4]
    assert stream[-1]["type"] == "cancelled"
    resumed = half(api_url, lambda client: client.events(str(query_id), last_event_id=2))
    assert resumed == stream[2:]
    assert half(api_url, lambda client: client.events(str(query_id), last_event_id=4)) == []


def cancelled_after(number: int, stream: Any, api_url: str, query_id: str) -> Any:
    """The events of a question that is cancelled when event `number` is seen."""

    def look(event: dict[str, Any]) -> dict[str, Any]:
        if event["id"] == number:
            assert sync_half(api_url, lambda client: client.cancel(query_id))["status"] == "cancelled"
        return event

    async def looked_on() -> AsyncIterator[Any]:
        async for event in stream:
            yield look(event)

    return map(look, cast("Iterator[Any]", stream)) if isinstance(stream, Iterator) else looked_on()


# N9
def test_a_refusal_says_what_to_correct(half: Half, api_url: str) -> None:
    with pytest.raises(ApiProblem, match="low") as caught:
        half(api_url, lambda client: client.submit("Why?", mode="extreme"))
    assert (caught.value.status, caught.value.code) == (422, "mode_unknown")


# N9
def test_workspaces_are_created_changed_and_deleted(half: Half, api_url: str, tmp_path: Path) -> None:
    made = half(api_url, lambda client: client.workspaces.create("a", title="First"))
    assert made == half(api_url, lambda client: client.workspaces.get("a"))
    half(api_url, lambda client: client.workspaces.create("b"))
    wishes = {"mode": "high", "instructions": {"tone": "calm"}}
    changed = half(api_url, lambda client: client.workspaces.update("a", title="Changed", settings=wishes))
    assert (changed["name"], changed["title"]) == ("a", "Changed")
    assert (changed["settings"]["mode"], changed["settings"]["instructions"]["tone"]) == ("high", "calm")
    assert half(api_url, lambda client: client.workspaces.rename("a", "c"))["name"] == "c"
    assert [each["name"] for each in half(api_url, lambda client: client.workspaces.list())] == ["b", "c"]
    assert [each["name"] for each in half(api_url, lambda client: client.workspaces.list(limit=1))] == ["b"]
    path = tmp_path / "a.txt"
    path.write_text("hello")
    half(api_url, lambda client: client.upload(path, workspace="c"))
    with pytest.raises(ApiProblem) as caught:
        half(api_url, lambda client: client.workspaces.delete("c"))
    assert caught.value.code == "workspace_not_empty"
    assert half(api_url, lambda client: client.workspaces.delete("c", with_contents=True)) is True
    with transaction() as session:
        make_query(session, workspace="b")
    assert half(api_url, lambda client: client.workspaces.delete("b", with_contents=True)) is False


# N9
def test_several_workspaces_are_asked_and_searched(half: Half, api_url: str) -> None:
    for name in ("a", "b"):
        half(api_url, lambda client, name=name: client.workspaces.create(name))
    query_id = half(api_url, lambda client: client.submit("Why?", workspaces=["a", "b"]))["id"]
    assert half(api_url, lambda client: client.query(query_id))["workspaces"] == ["a", "b"]
    assert half(api_url, lambda client: client.search("words", ["a", "b"]))["passages"] == []
    with pytest.raises(ApiProblem, match="'c'"):
        half(api_url, lambda client: client.search("words", ["a", "c"]))
