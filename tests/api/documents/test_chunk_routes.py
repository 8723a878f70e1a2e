"""Chunks over HTTP: listed, excluded, corrected; and a question's retrieval explained."""

import uuid
from typing import Any

import httpx
import pytest

from api.routes.search import costs
from citewell_verify.embeddings.wheel import default_embedder
from config.settings import IngestionSettings, settings
from db.queries.access.workspaces import get_or_add_workspace
from db.session import transaction
from domain.keys import Scope
from services.documents.documents import NewDocument, accept_document
from services.documents.ingestion import ingest
from services.queries.submission import NewQuery
from tests.api.problems import assert_problem
from tests.keys import bearer, make_key
from tests.leases import hold
from verify_material.rows import for_all_rows

RULES = "\n\n".join(
    f"# {name}\n\n{name} of products take {days} days from the day on which the parcel has arrived at the address. "
    f"Whoever asks for {name.lower()} sends the form that belongs to the order."
    for name, days in (("Returns", 30), ("Refunds", 14), ("Repairs", 60))
)
QUESTION = "How many days do refunds of products take?"


@pytest.fixture
def rules(http: httpx.Client) -> str:
    """The address of a document of three chunks."""
    del http  # it has the database
    return stored(RULES, "rules.md")


def stored(text: str, filename: str, workspace: str = "w") -> str:
    document_id = accept_document(NewDocument(filename, text.encode(), workspace), settings()).document_id
    ingest(document_id, default_embedder(), IngestionSettings(), hold)
    return f"/v1/documents/{document_id}"


def chunks(http: httpx.Client, address: str, **params: Any) -> list[dict[str, Any]]:
    return http.get(f"{address}/chunks", params=params).raise_for_status().json()["chunks"]


def explained(http: httpx.Client, question: str = QUESTION, **over: Any) -> dict[str, Any]:
    response = http.post("/v1/search/explain", json={"question": question, "workspace": "w", **over})
    assert response.status_code == 200, response.text
    return response.json()


def test_a_chunk_is_excluded_and_the_list_of_documents_says_so(http: httpx.Client, rules: str) -> None:
    told = http.patch(f"{rules}/chunks/1", json={"excluded": True, "reason": "out of date"}).raise_for_status().json()
    assert told["excluded"] is True
    assert [chunk["excluded"] for chunk in chunks(http, rules)] == [False, True, False]
    assert [chunk["chunk_index"] for chunk in chunks(http, rules, excluded=True)] == [1]
    assert http.get("/v1/documents").json()["documents"][0]["chunks_excluded"] == 1
    found = http.post("/v1/search", json={"query": QUESTION, "workspace": "w"}).json()["passages"]
    assert [passage["chunk_index"] for passage in found] == [0, 2]
    (edit,) = http.get(f"{rules}/edits").json()["edits"]
    assert (edit["kind"], edit["reason"], edit["made_by"]) == ("excluded", "out of date", None)


def test_a_correction_answers_with_the_new_version(http: httpx.Client, rules: str) -> None:  # A5
    text = chunks(http, rules)[1]["text"].replace("14", "15")
    sent = http.post(f"{rules}/chunks/1/corrections", json={"text": text, "reason": "a misprint"})
    assert sent.status_code == 201, sent.text
    made = sent.json()
    assert (made["chunk"]["text"], made["chunk"]["corrected"]) == (text, True)
    assert (made["document"]["version"], made["document"]["status"]) == (2, "ready")
    assert f"/v1/documents/{made['document']['corrected_from']}" == rules
    listed = http.get("/v1/documents").json()["documents"]
    assert [document["id"] for document in listed] == [made["document"]["id"]]
    assert_problem(http.post(f"{rules}/chunks/1/corrections", json={"text": "x"}), 409, "document_not_in_force")


@for_all_rows(
    ("method", "path", "body", "status", "code"),
    [
        ("PATCH", "/chunks/1", {}, 422, "request_invalid"),
        ("PATCH", "/chunks/1", {"excluded": "yes"}, 422, "request_invalid"),
        ("PATCH", "/chunks/1", {"excluded": True, "reason": "x" * 1001}, 422, "request_invalid"),
        ("PATCH", "/chunks/9", {"excluded": True}, 404, "chunk_not_found"),
        ("PATCH", "/chunks/-1", {"excluded": True}, 422, "request_invalid"),
        ("POST", "/chunks/1/corrections", {"text": " "}, 422, "correction_invalid"),
        ("POST", "/chunks/1/corrections", {"text": "a\x00b"}, 422, "request_invalid"),
        ("POST", "/chunks/1/corrections", {"text": "a\x1bb"}, 422, "correction_invalid"),
        ("POST", "/chunks/1/corrections", {"text": "x" * 100_001}, 422, "request_invalid"),
        ("POST", "/chunks/9/corrections", {"text": "x"}, 404, "chunk_not_found"),
        ("GET", "/chunks?limit=0", None, 422, "request_invalid"),
    ],
)
def test_what_cannot_be_done_is_refused(
    http: httpx.Client, rules: str, method: str, path: str, body: Any, status: int, code: str
) -> None:
    assert_problem(http.request(method, rules + path, json=body), status, code)
    assert http.get(rules).json()["status"] == "ready"
    assert http.get(f"{rules}/edits").json() == {"edits": []}


def test_only_keys_for_documents_change_chunks_and_the_history_names_them(http: httpx.Client, rules: str) -> None:  # A8
    reader, keeper = bearer(make_key(Scope.READ)), make_key(Scope.READ, Scope.DOCUMENTS)
    body = {"excluded": True}
    assert_problem(http.patch(f"{rules}/chunks/0", json=body, headers=reader), 403, "scope_missing")
    refused = http.post(f"{rules}/chunks/0/corrections", json={"text": "x"}, headers=reader)
    assert_problem(refused, 403, "scope_missing")
    assert http.get(f"{rules}/chunks", headers=reader).status_code == 200
    assert http.patch(f"{rules}/chunks/0", json=body, headers=bearer(keeper)).status_code == 200
    (edit,) = http.get(f"{rules}/edits", headers=reader).json()["edits"]
    assert edit["made_by"]
    assert edit["made_by"] in keeper


def test_each_part_tells_what_it_found_and_what_would_be_shown(http: httpx.Client, rules: str) -> None:  # S1.1, S3.1
    told = explained(http, top_k=1)
    first, *others = told["passages"]
    assert f"/v1/documents/{first['document_id']}" == rules
    assert first["chunk_index"] == 1
    assert [first[part]["rank"] for part in ("lexical", "vector", "fused", "reranked")] == [1, 1, 1, 1]
    assert first["shown"] is True
    assert first["why_not"] is None
    assert {passage["why_not"] for passage in others} == {"beyond_top_k"}
    words = [first["text"][match["start"] : match["end"]] for match in first["matches"]]
    assert {"Refunds", "products", "take", "days"} <= set(words)
    assert told["status"] == "selected"
    assert (told["settings"]["reranked_by"], told["settings"]["top_k"]) == ("offline", 1)
    # Of a document that is shown as a whole also what the search did not find.
    whole = explained(http, "Summarise the rules.", k=1)["passages"]
    assert [(each["chunk_index"], each["shown"], each["why_not"]) for each in whole] == [
        (0, True, None),
        (1, True, None),
        (2, True, None),
    ]


def test_words_about_how_to_answer_match_nothing(http: httpx.Client, rules: str) -> None:  # S1.1
    del rules
    asked = f"{QUESTION} Answer in the form that belongs to the order."
    for first in (explained(http)["passages"][0], explained(http, asked)["passages"][0]):
        marked = {first["text"][each["start"] : each["end"]] for each in first["matches"]}
        assert marked == {"Refunds", "refunds", "products", "take", "days", "day"}


def test_what_is_not_a_candidate_is_told_as_that(http: httpx.Client, rules: str) -> None:
    told = explained(http, k=1, rerank=False)
    assert [(each["shown"], each["why_not"]) for each in told["passages"]] == [
        (None, None),
        (False, "beyond_candidates"),
        (False, "beyond_candidates"),
    ]
    assert told["status"] is None
    assert {each["reranked"] is None for each in told["passages"]} == {True}
    assert told["usage"]["llm_calls"] == 0
    assert len(explained(http, limit=2)["passages"]) == 2


@pytest.mark.slow
def test_what_is_excluded_is_told_with_the_score_it_would_have_had(http: httpx.Client, rules: str) -> None:
    before = next(each for each in explained(http)["passages"] if each["chunk_index"] == 1)
    http.patch(f"{rules}/chunks/1", json={"excluded": True}).raise_for_status()
    *found, last = explained(http)["passages"]
    assert [each["excluded"] for each in found] == [False, False]
    assert (last["chunk_index"], last["excluded"], last["shown"], last["why_not"]) == (1, True, False, "excluded")
    for part in ("lexical", "vector"):
        assert last[part]["score"] == pytest.approx(before[part]["score"], rel=1e-6)
        assert last[part]["rank"] is None
    assert last["reranked"] is None
    assert last["fused"] is None


def test_a_question_that_the_documents_do_not_answer_is_shown_nothing(http: httpx.Client, rules: str) -> None:  # S3.5
    del rules
    told = explained(http, "Who won the football championship in Uruguay?", mode="high")
    assert told["status"] == "refused"
    assert told["reason"]
    assert told["passages"]
    assert {each["shown"] for each in told["passages"]} == {False}
    assert {each["why_not"] for each in told["passages"]} <= {"below_threshold", "refused"}


def test_an_empty_workspace_is_told(http: httpx.Client) -> None:
    with transaction() as session:
        get_or_add_workspace(session, "w")
    told = explained(http)
    assert (told["status"], told["passages"]) == ("refused", [])
    assert "no document" in told["reason"]


def test_each_search_is_told_with_what_it_found(http: httpx.Client, rules: str) -> None:  # S3.2, S3.6
    del rules
    asked = "How long do returns take, and how long do repairs take?"
    for options in ({"multi_query": 2}, {"run": "agentic"}):
        told = explained(http, asked, **options)
        queries = [each["query"] for each in told["searches"]]
        assert len(queries) == len(set(queries)) > 1
        for number in range(len(queries)):
            assert any(by["search"] == number for each in told["passages"] for by in each["found_by"])
        assert (told["ended_because"] is not None) == ("run" in options)
        assert told["settings"]["k"] == 2 * explained(http)["settings"]["k"]


@pytest.mark.parametrize(
    ("asked", "is_paid"),
    [({}, False), ({"multi_query": 2}, True), ({"run": "agentic"}, True), ({"graph": "mix"}, True)],
)
def test_a_key_that_only_reads_spends_no_money(asked: dict[str, Any], is_paid: bool) -> None:  # A8
    new, free = NewQuery(QUESTION, **asked), settings()
    paid = free.model_copy(update={"models": free.models.model_copy(update={"provider": "groq"})})
    assert costs(new, paid, reranks=False) is is_paid
    assert costs(new, paid, reranks=True)
    assert not costs(new, free, reranks=True)


def test_a_trial_that_costs_money_is_refused_to_a_key_that_only_reads(
    http: httpx.Client, rules: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # A8
    del rules
    headers, body = bearer(make_key(Scope.READ)), {"question": QUESTION, "workspace": "w"}
    assert http.post("/v1/search/explain", json=body, headers=headers).status_code == 200
    with monkeypatch.context() as changed:
        changed.setenv("CITEWELL_MODELS__PROVIDER", "groq")
        changed.setenv("GROQ_API_KEY", "gsk_x")
        settings.cache_clear()
        refused = http.post("/v1/search/explain", json=body, headers=headers)
        free = http.post("/v1/search/explain", json={**body, "rerank": False}, headers=headers)
    settings.cache_clear()
    assert "`rerank` as false" in assert_problem(refused, 403, "scope_missing")["detail"]
    assert free.status_code == 200, free.text


@for_all_rows(
    ("body", "status", "code"),
    [
        ({"question": "  "}, 422, "question_invalid"),
        ({"question": "days", "workspace": "nowhere"}, 404, "workspace_not_found"),
        ({"question": "days", "mode": "extreme"}, 422, "mode_unknown"),
        ({"question": "days", "k": 0}, 422, "request_invalid"),
        ({"question": "days", "top_k": 51}, 422, "request_invalid"),
        ({"question": "days", "limit": 1001}, 422, "request_invalid"),
        ({"question": "days", "multi_query": 6}, 422, "request_invalid"),
        ({"question": "days", "run": "own"}, 422, "request_invalid"),
        ({"question": "days", "max_cost_usd": 0}, 422, "request_invalid"),
        ({"question": "days", "workspaces": ["w"], "workspace": "w"}, 422, "request_invalid"),
        ({}, 422, "request_invalid"),
    ],
)
def test_what_cannot_be_explained_is_refused(
    http: httpx.Client, rules: str, body: dict[str, Any], status: int, code: str
) -> None:
    del rules
    sent = body if "workspaces" in body or "workspace" in body else {"workspace": "w", **body}
    assert_problem(http.post("/v1/search/explain", json=sent), status, code)


def test_retrieval_is_explained_within_ones_own_workspaces_only(http: httpx.Client, rules: str) -> None:  # A8
    stored(RULES.replace("products", "secrets"), "other.md", workspace="other")
    body = {"question": QUESTION, "workspace": "w"}
    foreign = bearer(make_key(Scope.READ, tenant="theirs"))
    assert_problem(http.post("/v1/search/explain", json=body, headers=foreign), 404, "workspace_not_found")
    for path in ("/chunks", "/edits"):
        assert_problem(http.get(rules + path, headers=foreign), 404, "document_not_found")
    assert {each["workspace"] for each in explained(http)["passages"]} == {"w"}
    both = http.post("/v1/search/explain", json={"question": QUESTION, "workspaces": ["w", "other"]}).json()
    assert {each["workspace"] for each in both["passages"]} == {"w", "other"}
    assert_problem(
        http.patch(f"/v1/documents/{uuid.uuid4()}/chunks/0", json={"excluded": True}), 404, "document_not_found"
    )
