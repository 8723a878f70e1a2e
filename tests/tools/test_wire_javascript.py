"""The JavaScript client's table and types are what `make wire` writes."""

import re
from typing import Any

import pytest

from api.app import create_app
from tools.wire import Unnamed
from tools.wire_javascript import SOURCES, TABLE, TYPES, described, digest, table
from verify_material.rows import for_all_rows

PROBLEM = {"4XX": {"content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}}}


def api_with(*, schemas: dict[str, Any] | None = None, **told: Any) -> dict[str, Any]:
    """An API of one operation."""
    operation = {"operationId": "do_it", "tags": ["things"], **told}
    operation["responses"] = {**told.get("responses", {"204": {}}), **PROBLEM}
    thing = {"properties": {"id": {"type": "string", "title": "Id"}}, "description": "A thing."}
    components = {"schemas": {"ThingRead": thing, **(schemas or {})}}
    return {"openapi": "3.1.0", "info": {}, "paths": {"/things/{id}": {"post": operation}}, "components": components}


def json_of(*names: str) -> dict[str, Any]:
    schema = {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in names]}
    return {"content": {"application/json": {"schema": schema}}}


@pytest.mark.slow
def test_the_files_are_those_of_the_api() -> None:
    api = create_app().openapi()
    assert TABLE.read_text(encoding="utf-8") == table(api), "run `make wire`"
    assert digest(api) in TYPES.read_text(encoding="utf-8").partition("\n")[0], "run `make wire`"


def test_the_client_calls_operations_that_there_are() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in SOURCES.glob("*.js"))
    called = re.findall(r"""(?:call\(|paged\(\w+(?:\.#\w+)?, |untilFinal\()\s*"(\w+)\"""", sources)
    there = set(re.findall(r"^  (\w+): \{", TABLE.read_text(encoding="utf-8"), re.MULTILINE))
    assert len(called) > 50
    assert set(called) - there == set()


def test_types_are_made_of_what_the_client_sends_and_reads_by_its_names() -> None:
    parameters = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}},
    ]
    unused = {"OtherRead": {"type": "string"}}
    api = api_with(responses={"200": json_of("ThingRead")}, parameters=parameters, schemas=unused)
    spoken = described(api)
    operation = spoken["paths"]["/things/{id}"]["post"]
    assert operation["parameters"] == parameters[:1]
    assert operation["responses"] == {"200": json_of("Thing")}
    thing = {"properties": {"id": {"type": "string"}}, "description": "A thing."}
    assert spoken["components"] == {"schemas": {"Thing": thing}}
    assert '  do_it: { method: "POST", path: "/things/{id}", keyed: true },\n' in table(api)


@for_all_rows(
    ("responses", "row"),
    [
        ({"204": {}}, 'reads: "nothing"'),
        ({"200": {"content": {"text/plain": {}}}}, 'reads: "text"'),
        ({"200": {"content": {"*/*": {}}}}, 'reads: "blob"'),
        ({"200": {"content": {"text/csv": {}, "application/pdf": {}}}}, 'reads: "blob"'),
        ({"200": {"content": {"text/event-stream": {}}}}, 'reads: "events"'),
        ({"200": {"content": {"application/jsonl": {"schema": {"type": "string"}}}}}, 'reads: "lines"'),
    ],
)
def test_a_response_that_is_no_json_is_read_as_what_it_is(responses: dict[str, Any], row: str) -> None:
    assert row in table(api_with(responses=responses))


def test_what_is_sent_in_lines_is_a_list() -> None:
    assert 'sends: "lines"' in table(api_with(requestBody={"content": {"application/jsonl": {}}}))


def test_operations_for_other_programs_are_left_out() -> None:
    api = api_with(tags=["seeds"])
    assert "do_it" not in table(api)
    assert described(api)["paths"] == {}


def test_a_name_of_two_different_schemas_is_refused() -> None:
    text = {"properties": {"id": {"type": "string", "description": "An id."}}}
    same = {"properties": {"id": {"type": "string"}}}
    number = {"properties": {"id": {"type": "integer"}}}
    failing = {"200": json_of("DocumentError", "QueryError")}
    alike = described(api_with(responses=failing, schemas={"DocumentError": text, "QueryError": same}))
    assert alike["components"]["schemas"] == {"Failure": text}
    with pytest.raises(Unnamed, match="Failure means different schemas"):
        described(api_with(responses=failing, schemas={"DocumentError": text, "QueryError": number}))
