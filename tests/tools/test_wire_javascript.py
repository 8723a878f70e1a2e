"""The JavaScript client's table and types are what `make wire` writes."""

import re
from typing import Any

import pytest

from tools.wire import Unnamed
from tools.wire_javascript import SOURCES, Shapes, comment_of, table, types, written

PROBLEM = {"4XX": {"content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}}}


def described(*, responses: dict[str, Any], **told: Any) -> dict[str, Any]:
    operation = {"operationId": "do_it", "tags": ["things"], "responses": {**responses, **PROBLEM}, **told}
    thing = {"properties": {"id": {"type": "string"}, "size": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}
    schemas = {"ThingRead": {**thing, "required": ["id"], "description": "A thing."}}
    return {"paths": {"/things/{id}": {"post": operation}}, "components": {"schemas": schemas}}


def json_of(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


THING = {"$ref": "#/components/schemas/ThingRead"}


def test_the_files_are_those_of_the_api() -> None:
    assert {path: path.read_text(encoding="utf-8") for path in written()} == written(), "run `make wire`"


def test_the_client_calls_operations_that_there_are() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in SOURCES.glob("*.js"))
    called = re.findall(r"""(?:call\(|paged\(\w+(?:\.#\w+)?, |untilFinal\()\s*"(\w+)\"""", sources)
    there = set(re.findall(r"^  (\w+): \{", (SOURCES / "api.js").read_text(encoding="utf-8"), re.MULTILINE))
    assert len(called) > 50
    assert set(called) - there == set()


def test_an_operation_says_what_it_takes_and_gives() -> None:
    api = described(
        responses={"200": json_of(THING), "204": {}},
        description="Does it.",
        requestBody={"required": True, **json_of({"type": "array", "items": THING})},
        parameters=[
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
            {"name": "wait", "in": "query", "schema": {"type": "number"}, "description": "Seconds."},
            {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}},
        ],
    )
    assert '  do_it: { method: "POST", path: "/things/{id}", keyed: true },\n' in table(api)
    assert "/** A thing. */\nexport interface Thing {\n  id: string;\n  size?: number | null;\n}\n" in types(api)
    assert (
        "  /** Does it. */\n  do_it: {\n    parameters: {\n      id: string;\n      /** Seconds. */\n"
        "      wait?: number;\n    };\n    body: Thing[];\n    result: Thing | null;\n  };\n"
    ) in types(api)


@pytest.mark.parametrize(
    ("responses", "row", "result"),
    [
        ({"204": {}}, 'reads: "nothing"', "null"),
        ({"200": {"content": {"text/plain": {}}}}, 'reads: "text"', "string"),
        ({"200": {"content": {"*/*": {}}}}, 'reads: "blob"', "Blob"),
        ({"200": {"content": {"text/csv": {}, "application/pdf": {}}}}, 'reads: "blob"', "Blob"),
        ({"200": {"content": {"text/event-stream": {}}}}, 'reads: "events"', "never"),
        ({"200": {"content": {"application/jsonl": {"schema": {"type": "string"}}}}}, 'reads: "lines"', "unknown[]"),
    ],
)
def test_a_response_that_is_no_json_is_read_as_what_it_is(responses: dict[str, Any], row: str, result: str) -> None:
    api = described(responses=responses)
    assert row in table(api)
    assert f"result: {result};" in types(api)


def test_what_is_sent_in_lines_is_a_list() -> None:
    body = {"required": True, "content": {"application/jsonl": {"schema": THING}}}
    api = described(responses={"204": {}}, requestBody=body)
    assert 'sends: "lines"' in table(api)
    assert "body: Thing[];" in types(api)


def test_operations_for_other_programs_are_left_out() -> None:
    api = described(responses={"204": {}}, tags=["seeds"])
    assert "do_it" not in table(api) + types(api)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"enum": ["a", "b"]}, '"a" | "b"'),
        ({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, "(string | null)[]"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "Record<string, number>"),
        ({"type": "object"}, "Record<string, unknown>"),
        ({"const": "new"}, '"new"'),
        ({}, "unknown"),
    ],
)
def test_a_schema_becomes_a_type(schema: dict[str, Any], expected: str) -> None:
    assert Shapes({}).type_of(schema) == expected


def test_a_name_of_two_different_schemas_is_refused() -> None:
    one: dict[str, Any] = {"properties": {"id": {"type": "string", "description": "An id."}}}
    same: dict[str, Any] = {"properties": {"id": {"type": "string"}}}
    other: dict[str, Any] = {"properties": {"id": {"type": "integer"}}}
    shapes = Shapes({"DocumentError": one, "QueryError": same})
    assert [shapes.type_of({"$ref": f"#/{name}"}) for name in ("DocumentError", "QueryError")] == ["Failure"] * 2
    shapes = Shapes({"DocumentError": one, "QueryError": other})
    shapes.type_of({"$ref": "#/DocumentError"})
    with pytest.raises(Unnamed, match="Failure means different schemas"):
        shapes.type_of({"$ref": "#/QueryError"})


def test_a_description_is_a_comment_that_nothing_in_it_ends() -> None:
    assert comment_of("One */ line.") == "/** One * / line. */\n"
    assert comment_of("word " * 40).count("\n") == 4
    assert comment_of(None) == ""
