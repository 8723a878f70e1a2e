"""Reads a model's text as the reply that was asked for: the request is strict, the reading is lenient, and no verdict
is ever guessed.

A text that fits its schema exactly is used as it is. Otherwise the only object that fits is taken out of the text
around it, and its values out of their notation: a score from "90%", a relation from "Partially supports". A text with
two different objects that fit, with two values of one field, or with a part of another object beside the one that fits
is ambiguous, and so unreadable.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError

from citewell_verify.prompting.judgements import Reply
from citewell_verify.prompting.lenient_json import Bare, Pairs, Value, parse_values

R = TypeVar("R", bound=Reply)

_NUMBER = r"\+?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_SCORE = re.compile(rf"({_NUMBER})\s*(?:([%％])|(?:/|out of)\s*({_NUMBER}))?")
_DECIMAL_COMMA = re.compile(r"\s*0,\d+\s*")
_WHOLE = re.compile(r"\s*\+?(\d{1,9})(?:\.0*)?\s*")
_BETWEEN_WORDS = re.compile(r"(?<=\w)[\s_-]+(?=\w)")
_AROUND_A_WORD = " \t\r\n\"'`*"
_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}
_NOTHING = frozenset({"null", "none"})
_KEYS_OUTSIDE = re.compile(
    r"(?:[\"'`“”„‘’「『＂]|[{｛,，]\s*|^[\s*_#>|<•-]*)([\w $-]{1,60})(?:\\?[\"'`“”‘’」』＂])?[\s*_]*[:：=|>]",
    re.MULTILINE,
)
_DEEPEST_WRAPPER = 4


class ReplyUnreadable(ValueError):
    """The text is not the reply that was asked for; the message says in which respect."""


def read_reply(schema: type[R], text: str) -> R:
    """The reply in a model's text. Raises ReplyUnreadable."""
    if "\\u0000" in text:
        raise ReplyUnreadable("a NUL character")
    try:
        reply = schema.model_validate_json(text, strict=True)
    except ValidationError:
        return _read_kindly(schema, text)
    return _read_kindly(schema, text) if _repeats_a_key(text) else reply


def _repeats_a_key(text: str) -> bool:
    """True if an object has a key twice; the validation would use the last value."""
    repeats = False

    def members(pairs: list[tuple[str, object]]) -> None:
        nonlocal repeats
        repeats = repeats or len({key for key, _ in pairs}) < len(pairs)

    json.loads(text, object_pairs_hook=members)
    return repeats


def _read_kindly(schema: type[R], text: str) -> R:
    parsed = parse_values(text)
    replies: list[R] = []
    faults: list[str] = []
    for value in parsed.values:
        for reply in _replies(schema, value, faults):
            if reply not in replies:
                replies.append(reply)
    if not replies:
        has_object = any(isinstance(value, Pairs) for value in parsed.values)
        fields = f"the JSON object has none of the fields {', '.join(schema.model_fields)}"
        raise ReplyUnreadable(faults[0] if faults else fields if has_object else "no complete JSON object")
    if len(replies) > 1:
        raise ReplyUnreadable("several different JSON objects; give one")
    if outside := _fields_outside(schema, parsed.rest):
        raise ReplyUnreadable(f"{outside}: given also outside of the JSON object; give one object and nothing else")
    return replies[0]


def _replies(schema: type[R], value: Value, faults: list[str], depth: int = 0) -> Iterator[R]:
    """Yield the replies that the value is or wraps; the reasons why others do not fit are added to `faults`."""
    if depth > _DEEPEST_WRAPPER:
        return
    if isinstance(value, Pairs):
        yield from _of_object(schema, value, faults, depth)
    elif isinstance(value, list):
        # A list may stand for the object that is left out around it, and for each object in it.
        items = _only_list(schema)
        is_whole = items and value and all(isinstance(part, Pairs) for part in value)
        for part in [Pairs([(items, value)]), *value] if items and is_whole else value:
            yield from _replies(schema, part, faults, depth)
    elif not isinstance(value, Bare) and "{" in value:
        for quoted in parse_values(value).values:
            yield from _replies(schema, quoted, faults, depth + 1)


def _of_object(schema: type[R], pairs: Pairs, faults: list[str], depth: int) -> Iterator[R]:
    """Yield the reply that an object is, or the replies that it wraps.

    A wrapped object must have all fields of the schema and no others, and the object around it must have none of them,
    because a part of another object may fit by chance.
    """
    names, keys = _names(schema), frozenset(_plain(key) for key, _ in pairs)
    if keys & names:
        if depth and keys != names:
            raise ReplyUnreadable("a part of another object stands in it; give one object and nothing else")
        if further := next((key for key in keys - names if any(len(name) > 4 and name in key for name in names)), None):
            raise ReplyUnreadable(f"{further}: not asked for; give the fields that were asked for and nothing else")
        try:
            yield schema.model_validate(_converted(schema, pairs), strict=True)
        except ValueError as error:
            faults.append(_fault(error))
            return
    for key, wrapped in pairs:
        if _plain(key) not in names:
            yield from _replies(schema, wrapped, faults, depth + 1)


@cache
def _names(schema: type[BaseModel]) -> frozenset[str]:
    return frozenset(map(_plain, schema.model_fields))


@cache
def _only_list(schema: type[Reply]) -> str | None:
    """The name of the field that is the whole reply, a list of objects: models leave out the object around it."""
    (name, field), *others = schema.model_fields.items()
    items = get_args(field.annotation) if get_origin(field.annotation) is list else ()
    return name if not others and items and issubclass(items[0], BaseModel) else None


def _converted(annotation: Any, value: Value) -> Any:
    """The value in the JSON form of its type, or unchanged if that would be a guess. Raises ReplyUnreadable."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _fields_of(annotation, value) if isinstance(value, Pairs) else value
    if get_origin(annotation) is list:
        (item,) = get_args(annotation)
        if not isinstance(value, list) or isinstance(value, Pairs):
            value = [] if _is_nothing(value) or value == "" else [value]
        return [_converted(item, part) for part in value]
    if isinstance(value, list) and not isinstance(value, Pairs) and len(value) == 1:
        return _converted(annotation, value[0])
    if not isinstance(value, str):
        return value
    if get_origin(annotation) is Literal:
        return next((option for option in get_args(annotation) if _plain(option) == _plain(value)), value)
    return _SCALARS[annotation](value)


def _fields_of(schema: type[BaseModel], pairs: Pairs) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, field in schema.model_fields.items():
        given = [_converted(field.annotation, value) for key, value in pairs if _plain(key) == _plain(name)]
        if any(value != given[0] for value in given[1:]):
            raise ReplyUnreadable(f"{name}: given twice, with different values")
        if given:
            fields[name] = given[0]
    return fields


def _is_nothing(value: Value) -> bool:
    return isinstance(value, Bare) and value.casefold() in _NOTHING


def _text(value: str) -> str:
    return "" if _is_nothing(value) else str(value)


def _truth(value: str) -> bool | str:
    return _TRUTHS.get(_plain(value), value)


def _score(value: str) -> float | str:
    text = value.strip()
    if _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    if not (parts := _SCORE.fullmatch(text)):
        return value
    number, percent, whole = parts.groups()
    scale = 100.0 if percent else float(whole or 1)
    return float(number) / scale if scale else value


def _integer(value: str) -> int | str:
    digits = _WHOLE.fullmatch(value)
    return int(digits[1]) if digits else value


_SCALARS: dict[Any, Any] = {str: _text, bool: _truth, float: _score, int: _integer}


def _plain(word: str) -> str:
    """A word in the form for comparison. Signs that could mean "not" or "or" stay, so that the word differs with
    them.
    """
    return _BETWEEN_WORDS.sub("", word.strip(_AROUND_A_WORD).removesuffix(".").casefold())


def _fields_outside(schema: type[Reply], rest: tuple[str, ...]) -> str:
    """A field of the reply that has a value outside of every object, or the empty string.

    Such a value belongs to a broken object; the object that fits may be a part of that one, or a quotation.
    """
    keys = (key for text in rest for key in cast("list[str]", _KEYS_OUTSIDE.findall(text)))
    return next((key.strip() for key in keys if _plain(key) in _all_names(schema)), "")


@cache
def _all_names(annotation: Any) -> frozenset[str]:
    """The names of the fields of a schema and of those within it."""
    inner = get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        inner = [field.annotation for field in annotation.model_fields.values()]
        return _names(annotation).union(*map(_all_names, inner))
    return frozenset[str]().union(*map(_all_names, inner)) if get_origin(annotation) is list else frozenset()


def _fault(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first, *others = error.errors(include_input=False, include_url=False)
    where = ".".join(map(str, first["loc"])) or "reply"
    return f"{where}: {first['msg']}" + (f", and {len(others)} more" if others else "")
