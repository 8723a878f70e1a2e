"""Fills an object from verified sentences. A value counts when its sentences state it and a model agrees that they
state it of this field. Every other value is null or left out if the schema allows that; otherwise the object is
withheld.
"""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from citewell_verify.entities.dates import find_dates
from citewell_verify.entities.numbers import find_quantities
from domain.objects.schema import Field, escaped

MAX_VALUES = 200
NOT_STATED = "no verified sentence states it"
_WISH = "The answer is read for these facts. State each that the sources have in a sentence that names what it is of:"
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d{1,2})?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_PLACE_DIGITS = 3
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Value:
    """The outcome of filling one place of the object: `path` is a JSON Pointer, `sentences` are positions in the
    answer.
    """

    path: str
    status: Literal["verified", "removed", "not_stated"]
    value: Any
    reason: str | None
    sentences: Sequence[int] = ()
    citations: Sequence[int] = ()

    def removed(self, reason: str) -> "Value":
        return replace(self, status="removed", reason=reason)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Filled:
    """The object, or None with the reason why it is `withheld`."""

    value: dict[str, Any] | None
    withheld: str | None
    values: list[Value]


def proposed(
    root: Field, path: str, written: str, numbers: Sequence[int], sentences: Mapping[int, str]
) -> Value | None:
    """The value that a model wrote for a place; None if there is no such place or the model wrote nothing.

    `sentences` are the verified sentences by position.
    """
    field = root.find(path)
    if field is None or field.kind != "leaf" or written.strip() in ("", "null"):
        return None
    own = sorted({number for number in numbers if number in sentences})
    value = _typed(field, written.strip())
    read = Value(path, "verified", written if value is _MISSING else value, None, own)
    if value is _MISSING:
        return read.removed("it does not fit the schema")
    if fault := field.fault(value):
        return read.removed(f"the schema refuses it: {fault}")
    if not own:
        return read.removed("it names no verified sentence")
    if not _is_stated(field, value, " ".join(sentences[number] for number in own)):
        return read.removed("the sentences that it names do not state it")
    return read


def _typed(field: Field, written: str) -> Any:
    """The written value in a type that fits the field; `_MISSING` if no type does."""
    options: list[Any] = [written]
    if _NUMBER.fullmatch(written):
        number = float(written.replace(",", ""))
        options = [int(number) if number.is_integer() else number, written]
    elif written.lower() in ("true", "false"):
        options = [written.lower() == "true", written]
    elif written.startswith('"'):
        with suppress(ValueError):
            options.append(json.loads(written))
    fitting = (option for option in options if field.fault(option) is None)
    first = options[0]
    types = (
        ("string",) if isinstance(first, str) else ("boolean",) if isinstance(first, bool) else ("number", "integer")
    )
    return next(fitting, first if field.schema.get("type") in types else _MISSING)


def _is_stated(field: Field, value: Any, text: str) -> bool:
    if isinstance(value, bool) or "enum" in field.schema or "const" in field.schema:
        return True  # the value is one of a given choice: a model says whether the sentences mean it
    if isinstance(value, str):
        wanted = _flat(value)
        word = rf"(?<![a-z0-9]){re.escape(wanted)}(?![a-z0-9])"
        if wanted and re.search(word, _flat(text)):
            return True
        dates = find_dates(value) if _DATE.fullmatch(value) else []
        return any(date.follows_from(stated) for date in dates for stated in find_dates(text) if stated.years)
    written = {float(number.replace(",", "")) for number in _DIGITS.findall(text)}
    return abs(value) in written | {quantity.value for quantity in find_quantities(text)}


def _flat(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .,;:!?。\"'“”‘’")


def filled(root: Field, values: Sequence[Value]) -> Filled:
    known: dict[str, Value] = {}
    for given in values:
        known.setdefault(given.path, given)
    builder = _Builder(known)
    value = builder.build(root, "")
    reported = [*known.values(), *builder.open]
    if value is _MISSING:
        return Filled(None, f"The answer does not fit the schema: {builder.fault}.", reported)
    if fault := root.fault(value):
        return Filled(None, f"The answer does not fit the schema: {fault}.", reported)
    return Filled(value, None, reported)


class _Builder:
    def __init__(self, known: Mapping[str, Value]) -> None:
        self._known = known
        self.open: list[Value] = []
        self.fault = "nothing is known"

    def build(self, field: Field, path: str) -> Any:
        """The value at `path`, or `_MISSING`."""
        if field.kind == "object":
            return self._object(field, path)
        return self._array(field, path) if field.kind == "array" else self._leaf(field, path)

    def _leaf(self, field: Field, path: str) -> Any:
        if "const" in field.schema:
            return field.schema["const"]
        known = self._known.get(path)
        if known is None:
            self.open.append(Value(path, "not_stated", None, NOT_STATED))
        return known.value if known and known.status == "verified" else _MISSING

    def _object(self, field: Field, path: str) -> Any:
        made: dict[str, Any] = {}
        for name, child in field.properties.items():
            own = f"{path}/{escaped(name)}"
            value = self.build(child, own)
            if value is not _MISSING:
                made[name] = value
            elif name in field.required and child.nullable:
                made[name] = None
            elif name in field.required:
                stated = self._known.get(own)
                self.fault = f"{own} is required, and {(stated.reason if stated else None) or NOT_STATED}"
                return _MISSING
        return made if made or not path else _MISSING

    def _array(self, field: Field, path: str) -> Any:
        places = {int(part) for known in self._known if (part := _position(known, path)) is not None}
        made = [self.build(field.items, f"{path}/{place}") for place in sorted(places)] if field.items else []
        kept = [item for item in made if item is not _MISSING]
        if fault := field.fault(kept):
            self.fault = f"{path}: {fault}"
            return _MISSING
        return kept


def _position(path: str, array: str) -> str | None:
    if not path.startswith(f"{array}/"):
        return None
    part = path[len(array) + 1 :].partition("/")[0]
    return part if part.isascii() and part.isdigit() and len(part) <= _PLACE_DIGITS else None


def shown_fields(root: Field) -> str:
    """The places of the schema as they are shown to a model, one line for each."""
    return "\n".join(_line(leaf) for leaf in root.leaves if "const" not in leaf.schema)


def wish_for(root: Field) -> str:
    """The addition to the prompt of an answer that makes its sentences state the values that are asked for."""
    return f"{_WISH}\n{shown_fields(root)}"


def _line(leaf: Field) -> str:
    rules = {key: value for key, value in leaf.schema.items() if key != "type"}
    kind = leaf.schema.get("type", "value")
    named = kind if isinstance(kind, str) else " or ".join(map(str, kind))
    limits = f" {json.dumps(rules, ensure_ascii=False)}" if rules else ""
    return f"{leaf.path}: {named}{limits}" + (f" - {' '.join(leaf.note.split())}" if leaf.note else "")
