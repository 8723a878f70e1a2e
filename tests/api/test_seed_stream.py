"""S4's streamed query: exact framing, and drafts that restart."""

import json
import uuid
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from api.routes.seeds import SentDraft
from config.settings import settings
from db.models import Query, QueryStatus
from db.queries.runs.events import add_events
from db.queries.runs.queries import get_query
from db.session import reading, transaction
from services.finishing.completion import finish
from tests.api.problems import assert_problem
from tests.api.standing_in import worker
from tests.stored import abstain, complete, fail

pytestmark = pytest.mark.usefixtures("default_workspace")

Json = dict[str, Any]
S4_FIELDS = (
    "document_name document_id page_number section text_span claim_text citation_type chunk_index confidence_score"
).split()


def ask(http: httpx.Client) -> httpx.Response:
    response = http.post("/api/query", json={"query": "How long?"})
    assert response.status_code == 200, response.text
    return response


def events(response: httpx.Response) -> list[Json]:
    """Every event, split where HTTP libraries split lines, which is in more places than the standard allows."""
    lines = [line for line in response.text.splitlines() if line and not line.startswith(":")]
    assert all(line.startswith("data: {") for line in lines), lines
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def test_the_draft_then_the_checked_answer(http: httpx.Client) -> None:  # S4.2, S4.3
    def work(session: Session, query: Query) -> None:
        drafts = [
            (0, "A product can"),
            (13, " be\u2028"),
            (0, "A product"),
            (9, " can be\u2028returned."),
            (0, "A box"),
        ]
        add_events(session, query.id, [("draft", {"round": 0, "start": at, "text": text}) for at, text in drafts])
        session.flush()
        complete(session, query)

    with worker(http, work):
        response = ask(http)
    assert response.headers["content-type"].startswith("text/event-stream")
    query = http.get(response.headers["location"]).json()
    *pieces, last = events(response)
    assert last == {
        "type": "final",
        "data": query["answer"],
        "sources": query["sources"],
        "citations": [{name: citation[name] for name in S4_FIELDS} for citation in query["citations"]],
    }
    assert last["citations"]
    assert {piece["type"] for piece in pieces} == {"stream"}


@pytest.mark.slow
def test_what_is_streamed_is_the_draft(http: httpx.Client) -> None:  # S4.3
    def work(session: Session, query: Query) -> None:
        add_events(session, query.id, [("draft", {"round": 0, "start": 0, "text": "A product"})])

    with worker(http, work), http.stream("POST", "/api/query", json={"query": "How long?"}) as response:
        lines = response.iter_lines()
        assert next(lines) == 'data: {"type": "stream", "data": "A product"}'
        # More of it arrives while the rest is still to come.
        query_id = uuid.UUID(response.headers["location"].rpartition("/")[2])
        with transaction() as session:
            add_events(session, query_id, [("draft", {"round": 0, "start": 9, "text": " can"})])
        assert [next(lines), next(lines)] == ["", 'data: {"type": "stream", "data": " can"}']
        with transaction() as session:
            finish(session, query_id, QueryStatus.CANCELLED)
        told = "The query was cancelled before its end."
        assert [line for line in lines if line] == [f'data: {{"type": "error", "data": "{told}"}}']


def test_without_a_draft_the_answer_is_streamed(http: httpx.Client) -> None:  # S4.3
    with worker(http, abstain):
        first, last = events(ask(http))
    assert first == {"type": "stream", "data": "I don't know based on the documents."}
    assert (last["type"], last["data"], last["citations"]) == ("final", first["data"], [])


def test_a_failure_ends_the_stream_with_its_reason(http: httpx.Client) -> None:  # S4.3
    with worker(http, fail):
        assert events(ask(http)) == [{"type": "error", "data": "No model of the chain answered."}]


def test_a_query_goes_on_when_its_client_leaves(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:  # S4.3
    monkeypatch.setenv("CITEWELL_STREAM__HEARTBEAT_S", "0.05")
    settings.cache_clear()
    with http.stream("POST", "/api/query", json={"query": "How long?"}) as response:
        assert next(response.iter_lines()) == ": ping"
        query_id = uuid.UUID(response.headers["location"].rpartition("/")[2])
    with transaction() as session:
        complete(session, get_query(session, query_id))
    with reading() as session:
        assert get_query(session, query_id).status == QueryStatus.SUCCEEDED


def test_what_cannot_be_asked_is_refused(http: httpx.Client) -> None:  # S4.3
    assert_problem(http.post("/api/query", json={"query": "?!"}), 422, "question_invalid")
    assert_problem(http.post("/api/query", json={"query": "hi", "workspace": "none"}), 404, "workspace_not_found")
    told = assert_problem(http.post("/api/query", json={"question": "hi"}), 422, "request_invalid")
    assert {error["field"] for error in told["errors"]} == {"query", "question"}
    text = http.post("/api/query", content=b"{}", headers={"content-type": "text/plain"})
    assert_problem(text, 415, "unsupported_media_type")


def test_a_draft_that_starts_again_is_not_repeated() -> None:  # S4.3
    draft = SentDraft()
    written = [(0, "Returns"), (7, " within 30"), (0, "Ret"), (3, "urns within"), (14, " 30 days"), (0, "No."), (3, "")]
    assert [draft.news(start, text) for start, text in written] == ["Returns", " within 30", "", "", " days", "No.", ""]


@given(st.lists(st.text("ab", max_size=6)))
def test_who_keeps_the_common_text_has_every_draft(drafts: list[str]) -> None:  # S4.3
    sent, known = SentDraft(), ""
    for draft in drafts:
        if news := sent.news(0, draft):
            assert not known.startswith(draft), "it was sent before"
            known = known[: len(draft) - len(news)] + news
            assert known == draft
        assert known.startswith(draft)
