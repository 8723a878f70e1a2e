"""A caller's JSON Schema: what is read, what is refused, and which values of an object count."""

from functools import reduce
from typing import Any

import pytest

from domain.errors.requests import AnswerSchemaInvalid
from domain.objects.filling import Filled, Value, filled, proposed, shown_fields
from domain.objects.schema import MAX_FIELDS, read_schema
from verify_material.rows import for_all_rows

Json = dict[str, Any]
ITEM: Json = {"type": "object", "properties": {"name": {"type": "string"}, "price": {"type": "number"}}}
SCHEMA: Json = {
    "type": "object",
    "properties": {
        "total": {"type": "number", "description": "Revenue of the year"},
        "due": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
        "kind": {"enum": ["invoice", "offer"]},
        "version": {"const": 2},
    },
    "required": ["total", "due", "version"],
    "additionalProperties": False,
    "$defs": {"Item": {**ITEM, "required": ["name"]}},
}
SAID = {
    0: "The revenue of 2023 was 4.2 million euros.",
    2: "The invoice is due on March 5, 2024.",
    3: "매출은 1,200만 원이었다.",
    5: "A bolt is in the category of small parts and costs 30 cents.",
}


def of(*properties: Json, **over: Any) -> Json:
    return {"type": "object", "properties": {f"p{n}": schema for n, schema in enumerate(properties)}, **over}


def value(path: str, written: str, *numbers: int, schema: Json = SCHEMA) -> Value:
    read = proposed(read_schema(schema), path, written, numbers, SAID)
    assert read is not None
    return read


def made(*values: Value, schema: Json = SCHEMA) -> Filled:
    return filled(read_schema(schema), values)


def test_the_form_has_a_line_for_every_value_that_is_asked_for() -> None:
    assert shown_fields(read_schema(SCHEMA)).splitlines() == [
        "/total: number - Revenue of the year",
        '/due: string {"format": "date"}',
        "/items/*/name: string",
        "/items/*/price: number",
        '/kind: value {"enum": ["invoice", "offer"]}',
    ]


DEEP: Json = reduce(lambda inner, _: of(inner), range(9), {"type": "string"})
REFUSED: list[tuple[Json, str]] = [
    ({"type": "array", "items": {"type": "string"}}, "at its root"),
    ({"type": ["object", "null"], "properties": {"a": {"type": "string"}}}, "null"),
    ({"type": "object"}, "names no value"),
    (of({"type": "text"}), "/p0 does not say what type"),
    (of({}), "/p0 does not say what type"),
    (of({"oneOf": [{"type": "string"}]}), "/p0 has 'oneOf'"),
    (of({"type": "string", "minLength": "x"}), "no valid JSON Schema"),
    (of({"type": "string", "pattern": "(?=a)b"}), "no valid JSON Schema"),
    (of({"type": "string", "enum": []}), "without any value"),
    (of({"type": "string", "enum": 3}), "no list"),
    (of({"$ref": "https://example.com/schema"}), "/p0 refers to another place"),
    (of({"$ref": "#/$defs/A"}), "not there"),
    (of({"$ref": "#/$defs/A"}, **{"$defs": {"A": {"$ref": "#/$defs/A"}}}), "refers to itself"),
    (of({"$ref": "#/$defs/A"}, **{"$defs": {"A": of({"$ref": "#/$defs/A"})}}), "nested more than"),
    (of({"type": "array"}), "/p0/* must be an object"),
    (of({"type": "string"}, required=["x"]), "requires 'x'"),
    (of({"type": "string"}, additionalProperties={"type": "string"}), "additionalProperties"),
    (of({"anyOf": [of({"type": "string"}), {"type": "string"}]}), "several forms"),
    (of(*({"type": "string"} for _ in range(MAX_FIELDS))), "more than 100"),
    (of({"type": "string", "description": "x" * 20_000}), "characters"),
    (DEEP, "nested more than 8 deep"),
]


@for_all_rows(("schema", "why"), REFUSED)
def test_a_schema_that_cannot_be_kept_is_refused_with_the_place(schema: Json, why: str) -> None:
    with pytest.raises(AnswerSchemaInvalid, match=why.replace("*", r"\*")):
        read_schema(schema)


@for_all_rows(
    ("path", "written", "numbers", "read"),
    [
        ("/total", "4.2", (0,), 4.2),
        ("/total", "4,200,000", (0,), 4_200_000),
        ("/total", "12000000", (3,), 12_000_000),
        ("/due", "2024-03-05", (2,), "2024-03-05"),
        ("/items/0/name", "bolt", (5,), "bolt"),
        ("/items/7/name", "small parts", (5,), "small parts"),
        ("/kind", "invoice", (2,), "invoice"),
    ],
)
def test_a_value_that_its_sentences_state_counts(path: str, written: str, numbers: tuple[int, ...], read: Any) -> None:
    counted = value(path, written, *numbers)
    assert (counted.status, counted.value, counted.sentences) == ("verified", read, list(numbers))


@for_all_rows(
    ("path", "written", "numbers", "why"),
    [
        ("/total", "4.3", (0,), "do not state it"),
        ("/total", "4.2", (2,), "do not state it"),
        ("/total", "4.2", (1,), "no verified sentence"),
        ("/total", "much", (0,), "does not fit"),
        ("/due", "2024-03-06", (2,), "do not state it"),
        ("/due", "soon", (2,), "refuses it"),
        ("/items/0/name", "cat", (5,), "do not state it"),
        ("/kind", "letter", (2,), "fit"),
    ],
)
def test_another_value_is_removed_with_the_reason(path: str, written: str, numbers: tuple[int, ...], why: str) -> None:
    removed = value(path, written, *numbers)
    assert removed.status == "removed"
    assert why in (removed.reason or "")


@for_all_rows("path", ["/other", "/items/x/name", "/items", "/total/0", "", "/kind/invoice"])
def test_places_that_the_schema_does_not_have_are_no_values(path: str) -> None:
    assert proposed(read_schema(SCHEMA), path, "4.2", [0], SAID) is None


def test_a_failed_value_is_null_or_left_out_where_the_schema_allows() -> None:
    filled = made(value("/total", "4.2", 0), value("/due", "soon", 2), value("/items/0/price", "31", 5))
    assert filled.value == {"total": 4.2, "due": None, "items": [], "version": 2}
    states = {reported.path: reported.status for reported in filled.values}
    assert states == {
        "/total": "verified",
        "/due": "removed",
        "/items/0/price": "removed",
        "/items/0/name": "not_stated",
        "/kind": "not_stated",
    }


def test_entries_of_a_list_keep_together_and_close_up() -> None:
    filled = made(
        value("/total", "4.2", 0),
        value("/items/0/name", "cat", 5),
        value("/items/2/name", "bolt", 5),
        value("/items/2/price", "30", 5),
    )
    assert filled.value is not None
    assert filled.value["items"] == [{"name": "bolt", "price": 30}]


def test_without_a_required_value_the_object_is_withheld() -> None:
    filled = made(value("/total", "4.3", 0))
    assert filled.value is None
    assert "/total is required" in (filled.withheld or "")
    few = of({"type": "array", "items": {"type": "string"}, "minItems": 2}, required=["p0"])
    short = made(value("/p0/0", "bolt", 5, schema=few), schema=few)
    assert short.value is None
    assert "/p0" in (short.withheld or "")


def test_a_pattern_takes_linear_time() -> None:
    evil = of({"type": "string", "pattern": "^(a+)+$"})
    said = {0: "a" * 40 + "!"}
    removed = proposed(read_schema(evil), "/p0", said[0], [0], said)
    assert removed is not None
    assert removed.status == "removed"
