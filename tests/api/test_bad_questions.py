"""Every invalid question is refused with a reason, and stores nothing."""

import json
from typing import Any

import httpx
import pytest

from tests.api.problems import assert_problem
from verify_material.rows import for_all_rows

pytestmark = pytest.mark.usefixtures("default_workspace")

JSON = {"content-type": "application/json"}


def assert_nothing_stored(http: httpx.Client) -> None:
    assert http.get("/v1/queries").json()["queries"] == []


@for_all_rows(
    ("body", "status", "code"),
    [
        ({"question": ""}, 422, "question_invalid"),
        ({"question": " \n\t "}, 422, "question_invalid"),
        ({"question": "?!"}, 422, "question_invalid"),
        ({"question": "x" * 4001}, 422, "question_invalid"),
        ({"question": "a\x00b"}, 422, "question_invalid"),
        ({"question": "\x1b[31mred"}, 422, "question_invalid"),
        ({"question": "hi", "workspace": "nowhere"}, 404, "workspace_not_found"),
        ({"question": "hi", "mode": "extreme"}, 422, "mode_unknown"),
        ({"question": "hi", "model": "gpt-9"}, 422, "model_not_allowed"),
    ],
)
def test_what_cannot_be_asked_is_refused(http: httpx.Client, body: dict[str, Any], status: int, code: str) -> None:
    assert_problem(http.post("/v1/queries", json=body), status, code)
    assert_nothing_stored(http)


@for_all_rows(
    ("body", "field"),
    [
        ({}, "question"),
        ({"question": None}, "question"),
        ({"question": 5}, "question"),
        ({"question": "hi", "qestion": "hi"}, "qestion"),
        ({"question": "hi", "preset": "free"}, "preset"),
        ({"question": "hi", "retrieval": {"K": 3}}, "retrieval.K"),
        ({"question": "hi", "retrieval": {"k": 0}}, "retrieval.k"),
        ({"question": "hi", "retrieval": {"k": "5"}}, "retrieval.k"),
        ({"question": "hi", "retrieval": {"method": "magic"}}, "retrieval.method"),
        ({"question": "hi", "rerank": {"top_k": 51}}, "rerank.top_k"),
        ({"question": "hi", "verification": True}, "verification"),
        ({"question": "hi", "verification": {"enabled": "yes"}}, "verification.enabled"),
        ({"question": "hi", "workspace": "a\x00"}, "workspace"),
        ({"question": "hi", "workspace": "  "}, "workspace"),
        ({"question": "hi", "workspace": "w" * 101}, "workspace"),
        ({"question": "hi", "enable_verification": True, "verification": {"enabled": False}}, "body"),
        ([], "body"),
        ("hi", "body"),
    ],
)
def test_a_wrong_field_is_named(http: httpx.Client, body: Any, field: str) -> None:
    told = assert_problem(http.post("/v1/queries", json=body), 422, "request_invalid")
    assert [error["field"] for error in told["errors"]] == [field]
    assert field in told["detail"]
    assert_nothing_stored(http)


@for_all_rows(
    ("body", "status", "code"),
    [
        (b'{"question": ', 400, "json_invalid"),
        # both were a bad_request that did not say what was wrong.
        (b'{"question": "\xff"}', 400, "json_invalid"),
        (b'{"question": "hi", "retrieval": ' + b"[" * 100_000, 400, "json_invalid"),
        (b'{"question": "\\ud800 hi"}', 422, "question_invalid"),
        (b'{"question": "hi", "workspace": "\\udfff"}', 422, "request_invalid"),
        (b'{"question": "hi", "model": "\\ud800"}', 422, "request_invalid"),
        (b'{"question": "hi", "\\ud800": 1}', 422, "request_invalid"),
        (b'{"question": "hi", "retrieval": {"k": 1e999}}', 422, "request_invalid"),
        (b"", 422, "request_invalid"),
    ],
)
def test_bytes_that_are_no_json_text_are_refused(http: httpx.Client, body: bytes, status: int, code: str) -> None:
    told = assert_problem(http.post("/v1/queries", content=body, headers=JSON), status, code)
    assert (code == "json_invalid") == told["detail"].startswith("The body is not valid JSON: ")
    assert_nothing_stored(http)


@for_all_rows(
    ("path", "body"),
    [
        ("/v1/chat/completions", {"model": "default", "messages": [{"role": "user", "content": "hi \ud800"}]}),
        ("/v1/webhooks", {"url": "https://example.com/", "events": ["*"], "description": "\ud800"}),
        ("/v1/webhooks", {"url": "https://example.com/\ud800", "events": ["*"]}),
        ("/v1/keys", {"name": "a\ud800", "scopes": ["ask"]}),
        ("/v1/queries", {"question": "hi", "callback_url": "https://example.com/\ud800"}),
        ("/query", {"query": "hi \ud800"}),
    ],
)
def test_half_a_surrogate_pair_is_refused_everywhere(http: httpx.Client, path: str, body: dict[str, Any]) -> None:  # A8
    refused = http.post(path, content=json.dumps(body), headers=JSON)
    assert refused.status_code == 422, refused.text
    assert_nothing_stored(http)


@pytest.mark.parametrize("content_type", [None, "text/plain", "application/x-www-form-urlencoded", "nonsense"])
def test_another_content_type_is_refused(http: httpx.Client, content_type: str | None) -> None:
    headers = {"content-type": content_type} if content_type else {}
    told = assert_problem(
        http.post("/v1/queries", content=b'{"question": "hi"}', headers=headers), 415, "unsupported_media_type"
    )
    assert "application/json" in told["detail"]


def test_a_huge_question_is_refused_before_it_is_read(http: httpx.Client) -> None:  # A8
    told = assert_problem(http.post("/v1/queries", json={"question": "x" * 2_000_000}), 413, "content_too_large")
    assert "1,000,000 bytes" in told["detail"]


@pytest.mark.parametrize("wait", ["-1", "61", "inf", "nan", "soon"])
def test_a_wait_out_of_range_is_refused(http: httpx.Client, wait: str) -> None:
    response = http.get("/v1/queries/00000000-0000-0000-0000-000000000000", params={"wait": wait})
    assert [error["field"] for error in assert_problem(response, 422, "request_invalid")["errors"]] == ["wait"]


@pytest.mark.parametrize("path", ["/v1/queries/abc", "/v1/queries/abc/verifications", "/v1/documents/abc/text"])
def test_what_is_no_id_is_refused(http: httpx.Client, path: str) -> None:
    assert "UUID" in assert_problem(http.get(path), 422, "request_invalid")["detail"]


@pytest.mark.parametrize("params", [{"limit": "0"}, {"limit": "x"}, {"status": "done"}, {"workspace": "\x00"}])
def test_a_filter_that_cannot_match_is_refused(http: httpx.Client, params: dict[str, str]) -> None:
    told = assert_problem(http.get("/v1/queries", params=params), 422, "request_invalid")
    assert [error["field"] for error in told["errors"]] == list(params)


def test_an_unknown_path_or_method_is_a_problem_that_points_to_the_documentation(http: httpx.Client) -> None:
    assert "/docs" in assert_problem(http.get("/v2/queries"), 404, "not_found")["detail"]
    assert "/docs" in assert_problem(http.put("/v1/queries"), 405, "method_not_allowed")["detail"]


@for_all_rows(
    ("condition", "told"),
    [
        ({"like": 3}, {"filter.metadata.year.like": "is not a known field"}),
        ({"gte": [2024]}, {"filter.metadata.year.gte": "should be a valid string, a valid integer or a valid number"}),
        ({}, {"filter.metadata.year": "give gte, lte or both"}),
        (
            None,
            {
                "filter.metadata.year": "should be a valid string, a valid boolean, a valid integer, a valid number, "
                "a valid list or a JSON object"
            },
        ),
    ],
)
def test_a_value_of_no_type_that_it_may_have_is_told_in_one_sentence(
    http: httpx.Client, condition: Any, told: dict[str, str]
) -> None:
    refused = http.post("/v1/search", json={"query": "days", "filter": {"metadata": {"year": condition}}})
    assert_problem(refused, 422, "request_invalid")
    assert {error["field"]: error["message"] for error in refused.json()["errors"]} == told


def test_a_list_that_is_too_short_is_told_without_words_about_validation(http: httpx.Client) -> None:
    refused = http.post("/v1/chat/completions", json={"model": "default", "messages": []})
    assert refused.json()["detail"] == "messages: should have at least 1 item, not 0"


def test_what_is_wrong_with_very_many_values_is_told_at_once(http: httpx.Client) -> None:
    refused = http.post("/v1/chat/completions", json={"model": "default", "messages": [1] * 200_000}, timeout=20)
    assert_problem(refused, 422, "request_invalid")
    assert [error["field"] for error in refused.json()["errors"]] == [f"messages.{place}" for place in range(20)]
