"""What servers say of a failed call, in every shape of their error bodies, and what becomes of it."""

import json
from typing import Any

from aiohttp import ClientPayloadError
from aiohttp.http_exceptions import BadHttpMessage, BadStatusLine, ContentLengthError, LineTooLong

from clients.llm.completions.errors import model_error
from clients.llm.completions.request_body import COMPATIBLE
from clients.llm.completions.transport import Refusal, Refused
from clients.llm.completions.usage import Bounds
from clients.llm.completions.wire_format import Exchange
from clients.llm.protocol import (
    ModelError,
    ModelGone,
    ModelRateLimited,
    ModelRefused,
    ModelReplyInvalid,
    ModelUnavailable,
)
from verify_material.rows import for_all_rows

MODEL = "aya-7b"
WORDS = "the mill is full of water"
QUOTED = json.dumps({"error": {"message": WORDS}})

SHAPES: dict[str, Any] = {
    "text under error": {"error": WORDS},
    "a number as code": {"error": {"message": WORDS, "code": 418}},
    "a list around it": [{"error": {"code": 418, "message": WORDS, "status": "FAILED_PRECONDITION"}}],
    "object error": {"object": "error", "message": WORDS, "type": "BadRequestError", "param": None, "code": 418},
    "message as an object": {"object": "error", "message": {"detail": [{"loc": ["body"], "msg": WORDS}]}},
    "message as a list": {"message": [WORDS]},
    "detail": {"detail": WORDS},
    "list of details": {"detail": [{"type": "x", "loc": ["body", "top_k"], "msg": WORDS, "input": 3}]},
    "detail with an object": {"detail": {"error": WORDS}},
    "message alone": {"message": WORDS, "request_id": "a b c"},
    "list of errors": {"errors": [{"code": 5, "message": WORDS}], "success": False, "messages": []},
    "errors by field": {"errors": {"max_tokens": [WORDS]}},
    "inner error": {"error": {"code": "x", "message": None, "innererror": {"message": WORDS}}},
    "code beside message": {"code": "InvalidParameter", "message": WORDS, "requestId": "1"},
    "capitals": {"Message": WORDS, "Type": "User"},
    "oauth": {"error": "invalid_request", "error_description": WORDS},
    "problem": {"type": "about:blank", "title": "Bad", "status": 418, "detail": WORDS},
    "upstream text": {"error": {"message": "Provider returned error", "metadata": {"raw": QUOTED}}},
    "json in a string": json.dumps(json.dumps({"error": WORDS})),
    "unknown keys": {"failure": {"explanation": WORDS}},
    "plain text": WORDS,
    "text as JSON": json.dumps(WORDS),
    "a page": f"<!doctype html><html><head><title>{WORDS}</title></head><body>x<p>long</body></html>",
    "null beside it": {"error": None, "message": WORDS},
}


def refused(status: int, body: Any, **headers: str) -> ModelError:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    exchange = Exchange(MODEL, "prompt", streamed=False, deadline=0, bounds=Bounds(6, 100), dialect=COMPATIBLE)
    return model_error(Refused(Refusal(status, "Reason", names, body, "sk-key")), exchange)


@for_all_rows("status", [400, 500])
@for_all_rows("shape", SHAPES)
def test_the_words_are_found_in_every_shape(shape: str, status: int) -> None:
    text = str(refused(status, SHAPES[shape]))
    assert WORDS in text
    assert "{" not in text


@for_all_rows("body", [None, "", {}, [], {"error": None}, {"ok": False}, 7, "<html><body>x</body></html>"])
def test_without_words_the_status_is_told(body: Any) -> None:
    assert str(refused(503, body)) == "HTTP 503: Reason"


def test_of_a_body_without_end_a_line_is_shown_and_never_the_key() -> None:
    deep: Any = {"message": "a sk-key " + "b " * 9_000}
    for _ in range(500):
        deep = {"error": deep, "list": [deep] if len(str(deep)) < 1000 else []}
    assert len(str(refused(400, deep))) < 400
    assert "sk-key" not in str(refused(400, {"error": {"message": "a sk-key " + "b " * 9_000}}))


GONE: list[tuple[int, Any]] = [
    (404, {"error": {"message": f'model "{MODEL}" not found, try pulling it first', "code": None}}),
    (404, {"error": {"message": "The model `x` does not exist", "code": "model_not_found"}}),
    (404, {"error": {"message": "No endpoints found for that model.", "code": 404}}),
    (404, {"error": f"{MODEL} is not loaded"}),
    (404, {"error": {"code": "DeploymentNotFound", "message": "The API deployment for this resource does not exist."}}),
    (400, {"error": {"message": "it was shut down", "code": "model_decommissioned"}}),
]
NO_PATH: list[Any] = [
    None,
    "404 page not found",
    {"detail": "Not Found"},
    {"error": {"message": "Invalid URL (POST /v1/models/chat/completions)"}},
    {"error": {"code": "404", "message": "Resource not found"}},
]


@for_all_rows(("status", "body"), GONE)
def test_a_model_that_is_not_there_is_gone_and_the_address_is_not_blamed(status: int, body: Any) -> None:
    error = refused(status, body)
    assert isinstance(error, ModelGone)
    assert "base_url" not in str(error)


@for_all_rows("body", NO_PATH)
def test_a_path_that_is_not_there_is_a_wrong_address(body: Any) -> None:
    error = refused(404, body)
    assert isinstance(error, ModelRefused)
    assert "check models.base_url" in str(error)


@for_all_rows("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_wrong_address(status: int) -> None:
    assert "check models.base_url" in str(refused(status, None))


def openai(message: str, code: object = None, kind: object = None) -> Any:
    return {"error": {"message": message, "code": code, "type": kind}}


VISIT = "Rate limit reached for x. Need more tokens? Visit our billing page to increase your limits."
QUOTA = "You exceeded your current quota, please check your plan and billing details."
MONEY: list[tuple[int, Any]] = [
    (429, openai(QUOTA, "insufficient_quota", "insufficient_quota")),
    (429, openai("No more for this account", None, "insufficient_quota")),
    (429, openai(QUOTA)),
    (429, openai("Your account is not active", "billing_not_active")),
    (429, openai("Insufficient balance, please recharge", 1113)),
    (402, openai("Insufficient credits", 402)),
    (402, {"error": "Payment Required"}),
    (403, openai("Your credit balance is too low")),
    (503, openai("pay first", "insufficient_credits")),
]
PASSING: list[Any] = [
    openai(VISIT, "rate_limit_exceeded", "tokens"),
    openai(VISIT, "rate_limit_exceeded", "requests"),
    openai("Rate limit", "429"),
    openai("rate-limited upstream", 429),
    openai("too many requests", "too_many_requests"),
    {"detail": "slow down"},
    "Too Many Requests",
    None,
    {
        "error": {
            "code": 429,
            "message": QUOTA,
            "status": "RESOURCE_EXHAUSTED",
            "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}],
        }
    },
]


@for_all_rows(("status", "body"), MONEY)
def test_what_only_money_mends_ends_at_once(status: int, body: Any) -> None:
    assert isinstance(refused(status, body), ModelRefused)


@for_all_rows("body", PASSING)
def test_a_rate_limit_passes_also_where_its_words_speak_of_money(body: Any) -> None:
    assert isinstance(refused(429, body), ModelRateLimited)


TOO_LONG: list[tuple[int, Any]] = [
    (400, openai("This model's maximum context length is 4096 tokens.", "context_length_exceeded")),
    (400, {"object": "error", "message": "This model's maximum context length is 4096 tokens.", "code": 400}),
    (
        400,
        {"error": {"message": "the request exceeds the available context size", "type": "exceed_context_size_error"}},
    ),
    (413, openai("prompt is too long: 9000 tokens > 8192 maximum")),
    (500, {"error": "the input length exceeds the context length"}),
    (422, {"error": "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000 `inputs` tokens"}),
]


@for_all_rows(("status", "body"), TOO_LONG)
def test_a_prompt_over_the_context_is_refused_with_the_settings_that_help(status: int, body: Any) -> None:
    error = refused(status, body)
    assert isinstance(error, ModelRefused)
    assert "rerank.context_tokens" in str(error)


def test_a_server_that_rejects_a_request_by_422_is_no_unreadable_reply() -> None:
    assert isinstance(refused(422, {"detail": [{"loc": ["body", "x"], "msg": "Extra inputs"}]}), ModelRefused)
    assert isinstance(refused(400, openai("no JSON", "json_validate_failed")), ModelReplyInvalid)


@for_all_rows(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7),
        ({"retry_after": "0.5"}, 0.5),
        ({"retry_after": "0"}, 0),
        ({"retry_after": "0", "retry_after_ms": "700"}, 0.7),
        ({"retry_after": "1m30s"}, 90),
        ({"retry_after": "250ms"}, 0.25),
        ({"retry_after": "2h"}, 7200),
        ({"retry_after": "12 s"}, 12),
        ({"retry_after": "Wed, 01 Jan 1800 00:00:00 GMT"}, 0),
        ({"retry_after": "-3"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": "soon"}, None),
        ({}, None),
    ],
)
@for_all_rows("status", [429, 503])
def test_the_named_wait_is_read_in_every_unit(headers: dict[str, str], seconds: float | None, status: int) -> None:
    error = refused(status, None, **headers)
    assert isinstance(error, ModelRateLimited if status == 429 else ModelUnavailable)
    assert error.retry_after_s == seconds


def test_a_wait_in_the_body_counts_as_well() -> None:
    error = refused(429, PASSING[-1])
    assert error.retry_after_s == 34.5


@for_all_rows(
    ("broken", "said"),
    [
        (ContentLengthError("Not enough data (50 of 5000 bytes)."), "Not enough data (50 of 5000 bytes)."),
        (BadHttpMessage("Data after `Connection: close`:\n\n  b'the reply'\n    ^"), "Data after `Connection: close`"),
        (BadStatusLine("SSH-2.0", "Expected HTTP/:\n\n  b'SSH-2.0'\n    ^"), "Expected HTTP/"),
        (LineTooLong(b"the reply" * 20, 8190), "Got more than 8190 bytes when reading"),
    ],
)
def test_an_answer_that_is_no_http_is_told_without_its_bytes_and_without_a_status(broken: Exception, said: str) -> None:
    error = ClientPayloadError("Response payload is not completed")
    error.__cause__ = broken
    exchange = Exchange(MODEL, "prompt", streamed=False, deadline=0, bounds=Bounds(6, 100), dialect=COMPATIBLE)
    told = model_error(error, exchange)
    assert isinstance(told, ModelUnavailable)
    assert str(told) == f"the connection broke: {said}"
