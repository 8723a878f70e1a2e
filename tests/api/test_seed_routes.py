"""The seeds' endpoints over HTTP; a thread replaces the workers."""

import time
import uuid
from typing import Any

import httpx
import pytest
from sqlalchemy.orm import Session

from api.answers import one_request
from db.models import Query, QueryStatus
from db.queries.runs.queries import get_query, mark_finished
from db.session import reading
from domain.query.options import QueryOptions
from tests.api.problems import assert_problem
from tests.api.standing_in import worker
from tests.stored import complete, fail
from tests.waiting import until
from verify_material.rows import for_all_rows

pytestmark = pytest.mark.usefixtures("default_workspace")

Json = dict[str, Any]

ASKS: list[tuple[str, Json]] = [
    ("/query", {"query": "How long?"}),
    ("/chat", {"prompt": "How long?"}),
    ("/agent/chat", {"question": "How long?"}),
    ("/agentic/chat", {"question": "How long?"}),
    ("/multiagent/chat", {"question": "How long?"}),
    ("/query/verified", {"question": "How long?"}),
]
PATHS = [path for path, _ in ASKS]


def cancel(session: Session, query: Query) -> None:
    mark_finished(session, query.id, QueryStatus.CANCELLED)


def answer(http: httpx.Client, path: str, body: Json) -> httpx.Response:
    with worker(http, complete):
        response = http.post(path, json=body)
    assert response.status_code == 200, response.text
    return response


def options_of(response: httpx.Response) -> QueryOptions:
    with reading() as session:
        stored = get_query(session, uuid.UUID(response.headers["location"].rpartition("/")[2]))
        return QueryOptions.model_validate(stored.options)


def test_the_weighted_result(http: httpx.Client) -> None:  # S1.8
    response = answer(http, "/query", {"query": "How long?", "enable_verification": True})
    told = response.json()
    assert set(told) == {"answer", "sources", "verification"}
    assert (len(told["verification"]), told["verification"]["overall_score"]) == (7, 0.91)
    assert http.get(response.headers["location"]).json()["sources"] == told["sources"]


def test_verification_can_be_switched_off(http: httpx.Client) -> None:  # S1.7
    assert not options_of(answer(http, "/query", {"query": "How long?", "enable_verification": False})).verification


def test_a_reply_and_its_settings(http: httpx.Client) -> None:  # S2.4, S2.5
    body = {"model": "openai/gpt-oss-20b", "enable_crag": False, "confidence_threshold": 0.4, "show_claims": True}
    response = answer(http, "/chat", {"prompt": "How long?", **body})
    told = response.json()
    assert set(told) == {"content", "model", "workspace", "verification"}
    assert told["workspace"] == "default"
    assert [claim["claim"] for claim in told["verification"].pop("claims")] == ["30 days"]
    block = {"confidence", "is_grounded", "claims_checked", "claims_supported", "crag_attempts"}
    assert set(told["verification"]) == block
    options = options_of(response)
    assert (options.model, options.max_crag_attempts, options.confidence_threshold) == ("openai/gpt-oss-20b", 0, 0.4)


def test_an_agents_answer(http: httpx.Client) -> None:  # S3.5, S3.6
    response = answer(http, "/agent/chat", {"question": "How long?", "inference_mode": "low"})
    told = response.json()
    assert set(told) == {"answer", "citations"}
    assert told["citations"][0]["metadata"]["filename"] == "환불 policy.pdf"
    assert not options_of(response).verify_answer
    assert options_of(response).run == "structured"


@pytest.mark.parametrize("kind", ["agentic", "multiagent"])
def test_the_answer_of_a_research(http: httpx.Client, kind: str) -> None:  # S3.5, S3.6
    response = answer(http, f"/{kind}/chat", {"question": "How long?", "inference_mode": "high"})
    assert set(response.json()) == {"answer", "citations"}
    options = options_of(response)
    assert (options.run, options.second_pass_k, options.max_searches) == (kind, 10, 4)
    assert http.get(response.headers["location"]).json()["run"] == kind


def test_the_verified_result(http: httpx.Client) -> None:  # S5.4, S5.6
    body = {"question": "How long?", "mode": "naive", "confidence_threshold": 0.95}
    response = answer(http, "/query/verified", body)
    told = response.json()
    assert set(told) == {
        *("original_answer", "corrected_answer", "mode", "sources", "removed_citations", "accuracy_rate"),
        *("verification_log", "processing_time_ms"),
    }
    assert (told["mode"], told["removed_citations"], len(told["verification_log"])) == ("naive", [2], 1)
    options = options_of(response)
    assert (options.retrieval_method, options.citation_confidence) == ("vector", 0.95)


@pytest.mark.parametrize(("path", "body"), ASKS)
def test_a_failed_query_is_a_502_with_its_own_reason(http: httpx.Client, path: str, body: Json) -> None:  # S1.8, S5.6
    with worker(http, fail):
        response = http.post(path, json=body)
    told = assert_problem(response, 502, "generation_failed")
    assert told["detail"] == "No model of the chain answered."
    assert http.get(response.headers["location"]).json()["status"] == "failed"


def test_a_cancelled_query_is_a_502(http: httpx.Client) -> None:
    with worker(http, cancel):
        response = http.post("/agent/chat", json={"question": "How long?"})
    assert_problem(response, 502, "query_cancelled")


@pytest.mark.parametrize(("path", "body"), ASKS)
def test_waiting_has_an_end_that_says_where_to_look(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch, path: str, body: Json
) -> None:  # A3
    monkeypatch.setattr(one_request, "MAX_WAIT_S", 0.2)
    response = http.post(path, json=body)
    told = assert_problem(response, 504, "not_finished_in_time")
    assert response.headers["location"] in told["detail"]
    assert http.get(response.headers["location"]).json()["status"] in {"queued", "running"}


def test_nobody_waits_for_a_client_that_left(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    read_when_final = one_request.read_when_final

    async def timed(*args: Any) -> Any:
        started = time.monotonic()
        found = await read_when_final(*args)
        waits.append(time.monotonic() - started)
        return found

    monkeypatch.setattr(one_request, "read_when_final", timed)
    with pytest.raises(httpx.ReadTimeout):
        http.post("/agent/chat", json={"question": "How long?"}, timeout=httpx.Timeout(60, read=0.5))
    until(lambda: waits)
    assert waits[0] < one_request.MAX_WAIT_S / 2


@for_all_rows(
    ("path", "body", "status", "code"),
    [
        ("/query", {"query": "?!"}, 422, "question_invalid"),
        ("/chat", {"prompt": "hi", "model": "gpt-9"}, 422, "model_not_allowed"),
        ("/chat", {"prompt": "hi", "workspace": "nowhere"}, 404, "workspace_not_found"),
        ("/agent/chat", {"question": "hi", "inference_mode": "extreme"}, 422, "mode_unknown"),
        ("/agentic/chat", {"question": "?!"}, 422, "question_invalid"),
        ("/multiagent/chat", {"question": "hi", "inference_mode": "extreme"}, 422, "mode_unknown"),
        ("/query/verified", {"question": "hi", "mode": "graph"}, 422, "mode_unknown"),
    ],
)
def test_what_cannot_be_asked_is_refused(http: httpx.Client, path: str, body: Json, status: int, code: str) -> None:
    assert_problem(http.post(path, json=body), status, code)
    assert http.get("/v1/queries").json()["queries"] == []


@for_all_rows(
    ("path", "body", "field"),
    [
        ("/query", {}, "query"),
        ("/query", {"query": "hi", "question": "hi"}, "question"),
        ("/query", {"query": "hi", "enable_verification": "yes"}, "enable_verification"),
        ("/chat", {"prompt": 5}, "prompt"),
        ("/chat", {"prompt": "hi", "confidence_threshold": 1.1}, "confidence_threshold"),
        ("/chat", {"prompt": "hi", "max_crag_attempts": 6}, "max_crag_attempts"),
        ("/agent/chat", {"question": "hi", "mode": "low"}, "mode"),
        ("/query/verified", {"question": "hi", "confidence_threshold": -0.1}, "confidence_threshold"),
        ("/query/verified", {"question": "hi", "workspace": " "}, "workspace"),
    ],
)
def test_a_wrong_field_is_named(http: httpx.Client, path: str, body: Json, field: str) -> None:
    told = assert_problem(http.post(path, json=body), 422, "request_invalid")
    assert [error["field"] for error in told["errors"]] == [field]


@for_all_rows("path", [*PATHS, "/api/verify-citation"])
def test_another_content_type_is_refused(http: httpx.Client, path: str) -> None:
    refused = http.post(path, content=b"{}", headers={"content-type": "text/plain"})
    assert_problem(refused, 415, "unsupported_media_type")
