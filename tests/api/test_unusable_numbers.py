"""A number that a request may have is one that the program can use; any other is refused with what to send (A8)."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.api.operations import description
from tests.api.problems import assert_problem
from verify_material.rows import for_all_rows

GIVEN = {"answer": "So it is [1].", "sources": [{"text": "So it is."}]}
NEVER_USABLE = ("5e-324", "1e-300", "-1", "0", "1e308", "1e999", "NaN", "Infinity", "-Infinity", "1" + 30 * "0")
OPERATIONS: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "a question": ("/v1/queries", {"question": "What?", "workspace": "w"}, ("deadline_s", "max_cost_usd")),
    "a verification": ("/v1/verifications", {**GIVEN, "workspace": "w"}, ("deadline_s", "max_cost_usd")),
    "a line of a batch": ("/v1/verifications/batches", GIVEN, ("deadline_s", "max_cost_usd")),
    "a test of the search": ("/v1/search/explain", {"question": "What?", "workspace": "w"}, ("max_cost_usd",)),
    "a link": ("/v1/queries/{}/share", {}, ("hours",)),
}


def posted(http: httpx.Client, path: str, fields: dict[str, Any], name: str, number: str) -> httpx.Response:
    begun = json.dumps(fields)[:-1]
    kind = "application/jsonl" if path.endswith("/batches") else "application/json"
    content = f'{begun}{", " if fields else ""}"{name}": {number}}}'
    return http.post(path, content=content, headers={"Content-Type": kind})


@for_all_rows(
    ("path", "fields", "name"), [(path, fields, name) for path, fields, names in OPERATIONS.values() for name in names]
)
def test_a_number_that_cannot_be_used_is_refused_by_its_name(
    http: httpx.Client, query_id: str, path: str, fields: dict[str, Any], name: str
) -> None:
    for number in NEVER_USABLE:
        refused = posted(http, path.format(query_id), fields, name, number)
        told = assert_problem(refused, 422, "request_invalid")["detail"]
        assert name in told, number
        assert "should be" in told, number


@pytest.mark.parametrize(
    ("name", "numbers"), [("deadline_s", ("1", "1.5", "86400")), ("max_cost_usd", ("1e-6", "1e6"))]
)
def test_the_ends_of_what_is_allowed_are_taken(
    http: httpx.Client, query_id: str, name: str, numbers: tuple[str, ...]
) -> None:
    assert query_id
    for number in numbers:
        accepted = posted(http, "/v1/queries", {"question": "What?", "workspace": "w"}, name, number)
        assert accepted.status_code == 202, accepted.text


def test_a_number_of_too_many_digits_is_told_so(http: httpx.Client) -> None:
    refused = posted(http, "/v1/queries", {"question": "What?"}, "deadline_s", "1" + 5_000 * "0")
    assert "too many digits" in assert_problem(refused, 400, "json_invalid")["detail"]


@for_all_rows("number", ["NaN", "Infinity", "1e999"])
@for_all_rows(
    ("path", "body"),
    [
        ("/v1/queries", '{{"question": "What?", "answer_schema": {{"type": "object", "default": {}}}}}'),
        (
            "/v1/chat/completions",
            '{{"model": "w", "messages": [{{"role": "user", "content": "What?"}}], "response_format": {{"type": '
            '"json_schema", "json_schema": {{"name": "a", "schema": {{"type": "object", "default": {}}}}}}}}}',
        ),
        ("/v1/documents", '{{"filename": "a.md", "text": "So it is.", "metadata": {{"year": {}}}}}'),
    ],
)
def test_what_is_stored_as_json_has_no_number_that_json_has_not(
    http: httpx.Client, query_id: str, path: str, body: str, number: str
) -> None:
    assert query_id
    refused = http.post(path, content=body.format(number), headers={"Content-Type": "application/json"})
    assert "not finite" in assert_problem(refused, 422, "request_invalid")["detail"]


def numbers_in(schema: dict[str, Any], place: str, seen: tuple[str, ...] = ()) -> Iterator[tuple[str, dict[str, Any]]]:
    name: str = schema.get("$ref", "").rpartition("/")[2]
    if name:
        if name not in seen:
            yield from numbers_in(description()["components"]["schemas"][name], place, (*seen, name))
        return
    if schema.get("type") == "number":
        yield place, schema
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        yield from numbers_in(part, place, seen)
    for field, inner in schema.get("properties", {}).items():
        yield from numbers_in(inner, f"{place}.{field}", seen)
    if "items" in schema:
        yield from numbers_in(schema["items"], f"{place}[]", seen)


def test_openapi_tells_both_ends_of_every_number_that_a_request_may_have() -> None:
    numbers = [
        number
        for path, methods in description()["paths"].items()
        for method, told in methods.items()
        for schema in (
            *(parameter["schema"] for parameter in told.get("parameters", ())),
            *(content["schema"] for content in told.get("requestBody", {}).get("content", {}).values()),
        )
        for number in numbers_in(schema, f"{method} {path}")
    ]
    assert len(numbers) > 10
    assert [place for place, schema in numbers if not {"minimum", "maximum"} <= schema.keys()] == []
