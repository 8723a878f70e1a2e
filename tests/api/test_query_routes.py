"""Questions over HTTP: accepted, waited for, listed, explained."""

import json
import threading
import time
import uuid
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from clients.notifications import notify_end
from config.settings import settings
from db.models import DEFAULT_TENANT, QueryStatus
from db.queries.runs.queries import get_query, mark_finished
from db.session import acting_for, reading, transaction
from domain.query.options import QueryOptions
from services.queries.results import read_history, read_query
from tests.api.problems import assert_problem
from tests.factories import make_query
from tests.stored import store_answered_query
from tests.waiting import meanwhile, until
from verify_material.rows import for_all_rows

pytestmark = pytest.mark.usefixtures("workspace_w")


def options_of(query_id: str) -> QueryOptions:
    with reading() as session:
        return QueryOptions.model_validate(get_query(session, uuid.UUID(query_id)).options)


def ask(http: httpx.Client, **body: Any) -> str:
    response = http.post("/v1/queries", json={"question": "How long?", "workspace": "w", **body})
    assert response.status_code == 202, response.text
    return response.json()["id"]


def test_a_question_is_accepted_with_the_addresses_where_it_goes_on(http: httpx.Client) -> None:  # A3
    response = http.post("/v1/queries", json={"question": "How long?", "workspace": "w"})
    assert response.status_code == 202
    accepted = response.json()
    assert accepted["status"] == "queued"
    assert response.headers["location"] == accepted["links"]["self"]
    assert http.get(accepted["links"]["self"]).json()["question"] == "How long?"
    assert http.get(accepted["links"]["verifications"]).status_code == 200


def test_options_of_the_request_are_stored_with_the_query(http: httpx.Client) -> None:  # S2.5, S3.1
    options = options_of(
        ask(
            http,
            mode="high",
            model="openai/gpt-oss-20b",
            retrieval={"method": "vector", "k": 7},
            rerank={"top_k": 2},
            verification={"show_claims": True},
        )
    )
    chosen = (options.model, options.retrieval_method, options.k, options.top_k, options.show_claims)
    assert chosen == ("openai/gpt-oss-20b", "vector", 7, 2, True)


@pytest.mark.parametrize("configured", ["standard", "cheap"])
def test_the_preset_of_the_request_beats_that_of_the_configuration(
    http: httpx.Client, configured: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # S1.7
    monkeypatch.setenv("CITEWELL_PRESET", configured)
    settings.cache_clear()
    assert options_of(ask(http)).preset == configured
    for preset in ("standard", "cheap"):
        query_id = ask(http, preset=preset)
        assert http.get(f"/v1/queries/{query_id}").json()["preset"] == preset
        options = options_of(query_id)
        # A call can only be shared within a task.
        assert (options.rerank_batch, options.check_batch) == ((20, 24) if preset == "cheap" else (10, 4))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, True),
        ({"enable_verification": False}, False),
        ({"verification": {"enabled": False}}, False),
        ({"enable_verification": False, "verification": {"enabled": False}}, False),
        ({"enable_verification": True, "verification": {"show_claims": True}}, True),
    ],
)
def test_verification_is_switched_per_request(http: httpx.Client, body: dict[str, Any], expected: bool) -> None:  # S1.7
    assert options_of(ask(http, **body)).verification is expected


def test_a_finished_query_is_told_with_every_field_that_the_service_gives(http: httpx.Client) -> None:  # A4, S1.8
    with transaction() as session:
        query_id = store_answered_query(session).id
    told = http.get(f"/v1/queries/{query_id}").json()
    known = read_query(query_id)
    known["created_at"], known["finished_at"] = told["created_at"], told["finished_at"]
    # S3.3; the same moment, in another notation
    known["sources"][0]["timestamp"] = told["sources"][0]["timestamp"]
    known["citations"][0]["metadata"]["timestamp"] = told["citations"][0]["metadata"]["timestamp"]
    assert told == known
    assert told["citations"][0]["page_number"] == 1
    assert "claims" not in told["verification"]


def test_claims_are_told_when_the_request_said_so(http: httpx.Client) -> None:  # S2.4
    with transaction() as session:
        query = store_answered_query(session)
        query.options = {**query.options, "show_claims": True}
    verification = http.get(f"/v1/queries/{query.id}").json()["verification"]
    (claim,) = verification["claims"]
    assert (claim["claim"], claim["status"], claim["reasoning"]) == ("30 days", "SUPPORTED", "It is there.")
    assert claim["evidence"]
    assert claim["source"]["chunk_id"] == "doc_0::chunk_0"
    assert verification["facts"] == []


def test_the_history_is_told_with_every_field_that_the_service_gives(http: httpx.Client) -> None:  # A4
    with transaction() as session:
        query_id = store_answered_query(session).id
    told = http.get(f"/v1/queries/{query_id}/verifications").json()
    known = read_history(query_id)
    assert {name: told[name] for name in ("steps", "error", "question")} == {
        name: known[name] for name in ("steps", "error", "question")
    }
    for listing in ("verifications", "model_calls", "events"):
        assert len(told[listing]) == 1
        assert told[listing][0].keys() == known[listing][0].keys()


def test_an_unfinished_query_is_told_without_an_answer(http: httpx.Client) -> None:
    told = http.get(f"/v1/queries/{ask(http)}").json()
    assert told["status"] in {"queued", "running"}
    assert (told["answer"], told["citations"], told["verification"]) == (None, [], None)
    assert told["usage"]["llm_calls"] == 0


def test_waiting_ends_when_the_query_does(http: httpx.Client) -> None:  # A3
    query_id = ask(http)

    def finish() -> None:
        time.sleep(0.4)
        with acting_for(DEFAULT_TENANT), transaction() as session:
            mark_finished(session, uuid.UUID(query_id), QueryStatus.CANCELLED)

    worker = threading.Thread(target=finish)
    started = time.monotonic()
    worker.start()
    told = http.get(f"/v1/queries/{query_id}", params={"wait": 30}).json()
    worker.join()
    assert told["status"] == "cancelled"
    # Not when the 30 s are over.
    assert 0.3 < time.monotonic() - started < 25


def test_the_request_that_asks_may_wait_for_the_end(http: httpx.Client) -> None:  # A3
    body = {"question": "How long?", "workspace": "w"}

    def finish() -> None:
        until(lambda: bool(http.get("/v1/queries").json()["queries"]))
        query_id = uuid.UUID(http.get("/v1/queries").json()["queries"][0]["id"])
        with acting_for(DEFAULT_TENANT), transaction() as session:
            mark_finished(session, query_id, QueryStatus.CANCELLED)
        notify_end(query_id)

    with meanwhile(finish):
        ended = http.post("/v1/queries", json=body, params={"wait": 30})
    assert (ended.status_code, ended.json()["status"]) == (200, "cancelled")
    assert http.get(ended.headers["location"]).json() == ended.json()
    late = http.post("/v1/queries", json=body, params={"wait": 0.1})
    assert (late.status_code, late.json()["status"]) == (202, "queued")
    assert http.get(late.json()["links"]["self"]).json()["id"] == late.json()["id"]
    assert_problem(http.post("/v1/queries", json=body, params={"wait": 61}), 422, "request_invalid")


def test_waiting_ends_when_time_is_up(http: httpx.Client) -> None:  # A3
    started = time.monotonic()
    told = http.get(f"/v1/queries/{ask(http)}", params={"wait": 0.3}).json()
    assert told["status"] in {"queued", "running"}
    assert time.monotonic() - started >= 0.3


def test_queries_are_listed_newest_first_by_workspace_and_status(http: httpx.Client) -> None:  # A3
    with transaction() as session:
        done = store_answered_query(session, workspace="w", question="done").id
    for question in ("first", "second"):
        with transaction() as session:
            make_query(session, workspace="w", question=question)
    with transaction() as session:
        make_query(session, workspace="other", question="elsewhere")

    def listed(**params: Any) -> list[str]:
        return [query["question"] for query in http.get("/v1/queries", params=params).json()["queries"]]

    assert listed() == ["elsewhere", "second", "first", "done"]
    assert listed(workspace="w", limit=2) == ["second", "first"]
    assert listed(workspace="w", status="succeeded") == ["done"]
    assert http.get("/v1/queries", params={"status": "succeeded"}).json()["queries"][0]["id"] == str(done)
    assert listed(workspace="nowhere") == []


@pytest.mark.parametrize("path", ["", "/verifications"])
def test_a_query_that_is_not_there_is_a_404(http: httpx.Client, path: str) -> None:
    missing = uuid.uuid4()
    assert str(missing) in assert_problem(http.get(f"/v1/queries/{missing}{path}"), 404, "query_not_found")["detail"]
    waited = http.get(f"/v1/queries/{missing}", params={"wait": 30})
    assert_problem(waited, 404, "query_not_found")


@for_all_rows(
    "wanted",
    [
        {"metadata": {"a\x00": "x"}},
        {"metadata": {"a": "x\x00"}},
        {"metadata": {"a": "\ud800"}},
        {"metadata": {"a": {"gte": "a\x00"}}},
        {"metadata": {"a": {"gte": True}}},
        {"metadata": {"a": {}}},
        {"metadata": {"a": ["x"] * 501}},
        {"metadata": {"a": "x" * 1001}},
        {"metadata": {"x" * 201: "x"}},
        {"filenames": ["\x00"]},
        {"document_ids": ["none"]},
    ],
)
def test_a_filter_that_no_document_can_pass_is_refused(http: httpx.Client, wanted: dict[str, Any]) -> None:  # A8
    body = json.dumps({"question": "How long?", "workspace": "w", "retrieval": {"filter": wanted}})
    response = http.post("/v1/queries", content=body, headers={"content-type": "application/json"})
    assert_problem(response, 422, "request_invalid")


def test_a_filter_is_stored_as_it_was_asked_for(http: httpx.Client) -> None:
    wanted = {"metadata": {"year": {"gte": 2023}, "ticker": ["A", "B"], "open": True}, "filenames": ["a.pdf"]}
    stored = options_of(ask(http, retrieval={"filter": wanted})).filter
    assert stored is not None
    assert stored.model_dump(mode="json", exclude_none=True) == wanted


def test_a_query_that_was_cancelled_between_its_conclusion_and_its_end_shows_no_answer(
    http: httpx.Client,
) -> None:
    with transaction() as session:
        query_id = store_answered_query(session).id
    assert http.get(f"/v1/queries/{query_id}").json()["answer"]
    with transaction() as session:
        session.execute(text("UPDATE queries SET status = 'cancelled' WHERE id = :q"), {"q": query_id})
    told = http.get(f"/v1/queries/{query_id}").json()
    assert (told["status"], told["answer"], told["verification"]) == ("cancelled", None, None)
    assert (told["citations"], told["references"]) == ([], [])
