"""Reads a caller's JSON Schema for answers (draft 2020-12) into a tree of fields. A schema that cannot be kept is
refused.

References are resolved here and patterns run in linear time, so that no schema reaches the network or takes long.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NoReturn, cast

from jsonschema_rs import Draft202012Validator, RegexOptions, ValidationError

from domain.errors.requests import AnswerSchemaInvalid

Schema = Mapping[str, Any]

MAX_CHARS, MAX_FIELDS, MAX_DEPTH = 20_000, 100, 8
_NOTES = frozenset({"title", "description", "examples", "default", "deprecated", "readOnly", "$comment", "$schema"})
_DEFINITIONS = frozenset({"$defs", "definitions"})
_LEAF = frozenset(
    "type enum const format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf "
    "anyOf".split()
)
_OBJECT = frozenset({"type", "properties", "required", "additionalProperties"})
_ARRAY = frozenset({"type", "items", "minItems", "maxItems", "uniqueItems"})
_SCALARS = ("string", "number", "integer", "boolean", "null")
_REFERENCE = re.compile(r"#/(\$defs|definitions)/([^/]+)")


@dataclass(frozen=True)
class Field:
    """One place of the object. `path` is its JSON Pointer, with `*` for the position in an array."""

    path: str
    kind: Literal["object", "array", "leaf"]
    schema: Schema
    """The schema that a value has to meet, without references."""
    note: str
    nullable: bool
    properties: Mapping[str, "Field"]
    required: frozenset[str] = frozenset()
    items: "Field | None" = None

    @property
    def leaves(self) -> Iterator["Field"]:
        if self.kind == "leaf":
            yield self
        for child in (*self.properties.values(), *([self.items] if self.items else [])):
            yield from child.leaves

    @cached_property
    def _validator(self) -> Draft202012Validator:
        return _validator(self.schema)

    def fault(self, value: Any) -> str | None:
        first = next(self._validator.iter_errors(value), None)
        return first.message[:200] if first else None

    def find(self, pointer: str) -> "Field | None":
        """The field at a JSON Pointer, in which array positions are numbers."""
        field: Field | None = self
        for part in pointer.split("/")[1:]:
            if field is None:
                return None
            if field.kind == "array":
                field = field.items if part.isascii() and part.isdigit() else None
            else:
                field = field.properties.get(unescaped(part))
        return field


def checked_schema(schema: Schema) -> dict[str, Any]:
    """Return the schema unchanged. Raises AnswerSchemaInvalid, which says where and what to change."""
    read_schema(schema)
    return dict(schema)


def read_schema(schema: Schema) -> Field:
    """The root of the schema's fields. Raises AnswerSchemaInvalid."""
    text = json.dumps(schema, ensure_ascii=False)
    if len(text) > MAX_CHARS:
        raise AnswerSchemaInvalid(f"The schema has {len(text)} characters; the limit is {MAX_CHARS}.")
    if "\\u0000" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise AnswerSchemaInvalid("The schema has a NUL character or half of a surrogate pair.")
    if not ({"$ref", "properties"} & schema.keys() or schema.get("type") == "object"):
        raise AnswerSchemaInvalid('The schema must have {"type": "object"} and `properties` at its root.')
    root = _Reader(schema).read(schema, "", 0)
    if root.kind != "object" or root.nullable:
        raise AnswerSchemaInvalid('The schema must have {"type": "object"} at its root, and not null beside it.')
    if not any(root.leaves):
        raise AnswerSchemaInvalid("The schema names no value that could be answered; give it `properties`.")
    try:
        _validator(root.schema)
    except (ValidationError, ValueError) as error:
        raise AnswerSchemaInvalid(f"This is no valid JSON Schema: {str(error).splitlines()[0][:300]}") from None
    return root


def _validator(schema: Schema) -> Draft202012Validator:
    """A validator that fetches no addresses and runs no slow patterns, because the schema is untrusted."""
    return Draft202012Validator(dict(schema), validate_formats=True, pattern_options=RegexOptions(), offline=True)


def escaped(name: str) -> str:
    """The name, escaped as a part of a JSON Pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def unescaped(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")


class _Reader:
    def __init__(self, root: Schema) -> None:
        self._root = root
        self._left = MAX_FIELDS

    def read(self, schema: Any, path: str, depth: int) -> Field:
        given = _mapping(schema)
        if given is None:
            _refuse(path, "must be an object; `true` and `false` say nothing about a value")
        if depth > MAX_DEPTH:
            _refuse(path, f"is nested more than {MAX_DEPTH} deep; a schema that refers to itself is not supported")
        if "$schema" in given and depth:
            _refuse(path, "has a `$schema` of its own")
        self._left -= 1
        if self._left < 0:
            raise AnswerSchemaInvalid(f"The schema has more than {MAX_FIELDS} places; ask for less at once.")
        resolved, nullable = self._without_null(self._resolved(given, path), path)
        note = " ".join(str(resolved.get(key, given.get(key, ""))) for key in ("title", "description")).strip()
        kind = resolved.get("type")
        if kind == "object" or (kind is None and "properties" in resolved):
            return self._object(resolved, path, depth, note, nullable=nullable)
        if kind == "array":
            return self._array(resolved, path, depth, note, nullable=nullable)
        return _leaf(resolved, path, note, nullable=nullable)

    def _resolved(self, schema: Schema, path: str) -> Schema:
        for _ in range(MAX_DEPTH):
            if (reference := schema.get("$ref")) is None:
                break
            match = _REFERENCE.fullmatch(str(reference))
            if not match:
                _refuse(path, 'refers to another place than the schema\'s own "#/$defs/…"')
            target = (_mapping(self._root.get(match[1])) or {}).get(unescaped(match[2]))
            definition = _mapping(target)
            if definition is None:
                _refuse(path, f"refers to {match[0]!r}, which is not there")
            schema = {**definition, **{key: value for key, value in schema.items() if key != "$ref"}}
        if "$ref" in schema:
            _refuse(path, "refers to itself")
        return schema

    def _without_null(self, schema: Schema, path: str) -> tuple[Schema, bool]:
        """The schema of a value that is not null, and whether null is allowed, too."""
        kinds, options = _list(schema.get("type")), _list(schema.get("anyOf"))
        if options is None:
            others = [kind for kind in kinds or [] if kind != "null"]
            nullable = "null" in (kinds or [])
            return ({**schema, "type": others[0]} if nullable and len(others) == 1 else schema), nullable
        forms = [_mapping(option) or {} for option in options]
        others = [self._resolved(form, path) for form in forms if form.get("type") != "null"]
        rest = {key: value for key, value in schema.items() if key != "anyOf"}
        if len(others) == 1:
            inner, nullable = self._without_null({**rest, **others[0]}, path)
            return inner, nullable or len(others) < len(forms)
        if not all(map(_is_scalar, others)):
            _refuse(path, "has several forms (`anyOf`); only null beside one form, or several scalar types, can be")
        return {**rest, "anyOf": others}, len(others) < len(forms)

    def _object(self, schema: Schema, path: str, depth: int, note: str, *, nullable: bool) -> Field:
        _only(schema, _OBJECT, path)
        if not isinstance(schema.get("additionalProperties", False), bool):
            _refuse(path, "has `additionalProperties` with a schema; name the properties instead")
        properties, required = _mapping(schema.get("properties", {})), _list(schema.get("required", []))
        if properties is None or required is None:
            _refuse(path, "has `properties` that are no object, or `required` that is no list")
        if unknown := [name for name in required if not isinstance(name, str) or name not in properties]:
            _refuse(path, f"requires {unknown[0]!r}, which is not one of its properties")
        fields = {name: self.read(child, f"{path}/{escaped(name)}", depth + 1) for name, child in properties.items()}
        whole = {
            "type": "object",
            "properties": {name: _or_null(child) for name, child in fields.items()},
            "required": required,
            "additionalProperties": False,
        }
        return Field(path, "object", whole, note, nullable, fields, frozenset(required))

    def _array(self, schema: Schema, path: str, depth: int, note: str, *, nullable: bool) -> Field:
        _only(schema, _ARRAY, path)
        items = self.read(schema.get("items"), f"{path}/*", depth + 1)
        whole = {key: value for key, value in schema.items() if key in _ARRAY} | {"items": _or_null(items)}
        return Field(path, "array", whole, note, nullable, {}, items=items)


def _leaf(schema: Schema, path: str, note: str, *, nullable: bool) -> Field:
    _only(schema, _LEAF, path)
    if not _is_scalar(schema):
        _refuse(path, "does not say what type its value has")
    choices = _list(schema.get("enum", ["any"]))
    if choices is None:
        _refuse(path, "has an `enum` that is no list of values")
    if not choices:
        _refuse(path, "has an `enum` without any value")
    own = {key: value for key, value in schema.items() if key in _LEAF}
    return Field(path, "leaf", own, note, nullable or None in choices, {})


def _mapping(value: Any) -> dict[str, Any] | None:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _list(value: Any) -> list[Any] | None:
    return cast("list[Any]", value) if isinstance(value, list) else None


def _is_scalar(schema: Schema) -> bool:
    named = _list(schema.get("type")) or [schema.get("type")]
    return bool({"enum", "const", "anyOf"} & schema.keys()) or all(kind in _SCALARS for kind in named)


def _or_null(field: Field) -> Schema:
    return {"anyOf": [field.schema, {"type": "null"}]} if field.nullable else field.schema


def _only(schema: Schema, known: frozenset[str], path: str) -> None:
    if unknown := sorted(schema.keys() - known - _NOTES - (_DEFINITIONS if not path else frozenset())):
        _refuse(path, f"has {unknown[0]!r}, which is not supported here")


def _refuse(path: str, why: str) -> NoReturn:
    raise AnswerSchemaInvalid(f"The schema of {path or 'the root'} {why}.")
