"""What a question asked for is told with it, so that it can be asked again with one thing changed (issue 41)."""

from typing import Any

import httpx
import pytest

from api.routes.queries import as_new_query
from api.schemas.questions.queries import QueryCreate, RerankOptions, RetrievalOptions, VerificationOptions
from db.queries.access.workspaces import get_or_add_workspace
from db.session import transaction
from services.queries.submission import as_request

Json = dict[str, Any]

FULL: Json = {
    "mode": "high",
    "preset": "cheap",
    "run": "agentic",
    "model": "llama-3.3-70b-versatile",
    "retrieval": {
        "method": "hybrid",
        "k": 7,
        "filter": {
            "filenames": ["a.pdf"],
            "metadata": {"year": {"gte": 2023}, "kind": ["10-K", "10-Q"], "final": True},
        },
        "multi_query": 2,
        "graph": "mix",
    },
    "rerank": {
        "top_k": 3,
        "context_tokens": 900,
        "source_scoring": False,
        "max_sources": 2,
        "min_relevance": 0,
        "min_excerpt_length": 0,
    },
    "verification": {"show_claims": False, "confidence_threshold": 0, "max_crag_attempts": 0, "repair": "citations"},
    "enable_verification": True,
    "refusal_language": "question",
    "instructions": {"language": "ko", "tone": "formal", "glossary": {"PTO": "paid time off"}},
    "answer_schema": {"type": "object", "properties": {"days": {"type": "integer"}}},
    "deadline_s": 30,
    "max_cost_usd": 0.5,
}


@pytest.fixture(autouse=True)
def _workspaces(database: str) -> None:  # pyright: ignore[reportUnusedFunction] - pytest finds it
    with transaction() as session:
        for name in ("w", "other"):
            get_or_add_workspace(session, name)


def read(http: httpx.Client, body: Json) -> Json:
    asked = http.post("/v1/queries", json={"question": "How long?", "workspace": "w", **body})
    assert asked.status_code == 202, asked.text
    return http.get(asked.json()["links"]["self"]).json()


def test_every_option_of_a_question_comes_back_as_it_was_sent() -> None:
    # A new option that is not told would be lost when a question is asked again.
    assert QueryCreate.model_fields.keys() - {"question", "workspace", "workspaces", "callback_url"} == FULL.keys()
    groups = {"retrieval": RetrievalOptions, "rerank": RerankOptions, "verification": VerificationOptions}
    for group, model in groups.items():
        assert model.model_fields.keys() - {"enabled"} == FULL[group].keys()
    new = as_new_query(QueryCreate(question="How long?", **FULL), workspace="w", workspaces=())
    assert as_request(new) == FULL
    assert as_new_query(QueryCreate(question="How long?", **as_request(new)), workspace="w", workspaces=()) == new


def test_only_what_was_asked_for_is_told(http: httpx.Client) -> None:
    assert read(http, {})["request"] == {"run": "structured"}
    told = read(http, {"verification": {"enabled": False}, "answer_schema": {}, "instructions": {"language": None}})
    assert told["request"] == {
        "run": "structured",
        "enable_verification": False,
        "answer_schema": {},
        "instructions": {"language": None},
    }


def test_what_is_told_asks_for_the_same_again_without_what_came_of_it(http: httpx.Client) -> None:
    body = {"retrieval": {"filter": {"filenames": ["a.pdf"]}}, "instructions": {"language": "ko"}, "mode": "high"}
    first = read(http, {**body, "callback_url": "https://93.184.216.34/hook"})
    assert first["request"] == {"run": "structured", **body}
    again = read(http, {**first["request"], "mode": "low"})
    assert (again["request"], again["mode"]) == ({"run": "structured", **body, "mode": "low"}, "low")


def test_a_retried_question_still_tells_what_it_asked_for(http: httpx.Client) -> None:
    first = read(http, {"mode": "high"})
    http.delete(f"/v1/queries/{first['id']}").raise_for_status()
    retried = http.post(f"/v1/queries/{first['id']}/replay").raise_for_status().json()
    assert http.get(retried["links"]["self"]).json()["request"] == first["request"]
