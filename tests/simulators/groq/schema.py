"""The part of JSON Schema supported by strict structured output: a check of schemas, a check of values, an example."""

from collections.abc import Callable, Iterator
from typing import Any

Schema = dict[str, Any]

_UNSUPPORTED = ("minItems", "maxItems", "minLength", "maxLength", "pattern", "oneOf", "allOf")
_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "array": list,
    "object": dict,
    "null": type(None),
}
_BLANKS: dict[str, Any] = {"string": "", "boolean": False, "integer": 0, "number": 0, "array": [], "null": None}


def strict_fault(schema: Schema) -> str | None:
    """Return why strict mode refuses `schema`, or None."""
    if "anyOf" in schema:
        return "/: anyOf is not supported at the root"
    return next((fault for path, node in _nodes(schema, "") if (fault := _node_fault(path, node))), None)


def _node_fault(path: str, node: Schema) -> str | None:
    for keyword in _UNSUPPORTED:
        if keyword in node:
            return f"{path or '/'}: {keyword} is not supported"
    if node.get("type") != "object":
        return None
    if node.get("additionalProperties") is not False:
        return f"{path or '/'}: `additionalProperties:false` must be set on every object"
    missing = set(node.get("properties", {})) - set(node.get("required", []))
    return f"{path or '/'}: `required` must name every property, `{min(missing)}` is missing" if missing else None


def _nodes(node: Schema, path: str) -> Iterator[tuple[str, Schema]]:
    yield path, node
    for group in ("properties", "$defs"):
        for name, child in node.get(group, {}).items():
            yield from _nodes(child, f"{path}/{group}/{name}")
    for index, child in enumerate(node.get("anyOf", [])):
        yield from _nodes(child, f"{path}/anyOf/{index}")
    if "items" in node:
        yield from _nodes(node["items"], f"{path}/items")


def conforms(value: Any, schema: Schema, root: Schema) -> bool:
    """Whether `value` matches `schema`; `root` holds its `$defs`."""
    schema = _resolved(schema, root)
    if "anyOf" in schema:
        return any(conforms(value, option, root) for option in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    kind = schema.get("type", "object")
    fits = isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
    return fits and _PARTS.get(kind, _nothing)(value, schema, root)


def _object_fits(value: Schema, schema: Schema, root: Schema) -> bool:
    properties: Schema = schema.get("properties", {})
    return value.keys() == properties.keys() and all(conforms(value[k], properties[k], root) for k in properties)


def _array_fits(value: list[Any], schema: Schema, root: Schema) -> bool:
    return all(conforms(item, schema["items"], root) for item in value)


def _nothing(_value: Any, _schema: Schema, _root: Schema) -> bool:
    return True


_PARTS: dict[str, Callable[[Any, Schema, Schema], bool]] = {"object": _object_fits, "array": _array_fits}


def blank(schema: Schema, root: Schema) -> Any:
    """The emptiest value that `schema` allows: the reply of a model not made for the question."""
    schema = _resolved(schema, root)
    if "anyOf" in schema:
        return blank(schema["anyOf"][0], root)
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type", "object") == "object":
        return {name: blank(child, root) for name, child in schema.get("properties", {}).items()}
    return _BLANKS[schema["type"]]


def _resolved(schema: Schema, root: Schema) -> Schema:
    if "$ref" in schema:
        return root["$defs"][schema["$ref"].rsplit("/", 1)[-1]]
    return schema
