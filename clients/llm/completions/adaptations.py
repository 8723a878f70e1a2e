"""Adapts a request to a server that refuses a part of it: reads the refusal, and sends another value or none.

A refusal names a key of the request, a name within that key's value, or calls the part by its ordinary name. Each row
of `ADAPTATIONS` belongs to one key. A change counts as learned once the server accepts the changed request.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

Body = dict[str, Any]
Learned = Mapping[str, str]
"""The values sent in place of others, by the key of their Adaptation."""

OMITTED = "omitted"
MOST_TRIES = 6
"""The most requests for one call, including the refused ones."""

_REFUSING = frozenset({400, 415, 416, 422, 501})
"""The statuses of refusals of a parameter. Other statuses are about keys, models, limits and outages."""
_FAULTY = 500
_TEMPLATE = re.compile(r"(?i)template|jinja|roles must|unsupported role|role not supported")
"""llama.cpp answers 500 when a template refuses a role. Any other 500 may be an outage that names what was sent."""
_NO_REFUSAL = "json_validate_failed"
"""In such an error the server names parts of the form because the model did not keep to it."""
_PLACES = frozenset({"param", "loc", "field", "parameter"})
_ECHOES = frozenset({"input", "ctx", "failed_generation"})
"""Keys whose values only repeat the request or a model's reply."""
# In Chinese, a name stands between the words without a space. Only ASCII's letters are letters of a name, so that the
# Chinese ones end it.
_NAME = re.compile(r"(?a)[\w$]+")
_IDENTIFIER = re.compile(r"(?a)\w*(?:_|\$|[a-z][A-Z])\w*")
_QUOTES = "'\"`‘’“”"
_NUMBER = re.compile(r"(?a)(?<![\w.-])(?:\d{1,3}(?:,\d{3})+|\d+)(?![\w]|[.,-]\w)")
_LEAST_ROOM = 16
"""Smaller numbers in a refusal do not mean the room for a reply."""
ROOMS = ("max_tokens", "max_completion_tokens")
THOUGHTS, ROOM_FOR_THOUGHTS = "thoughts", "8000"
FEW_TOKENS = 100
"""A request with so little room only asks for a count, and needs no room for thoughts."""


@dataclass(frozen=True, slots=True)
class Adaptation:
    """The adaptation of one part of a request. `names` returns the names by which a refusal can mean the part, none if
    the request does not have it; `called` finds other words for it. `instead` lists the values to try. `change` puts a
    value that `values` matches into a body; it is given the strict format of the reply, if one is asked for.
    """

    key: str
    names: Callable[[Body], Iterable[str]]
    called: re.Pattern[str]
    instead: Callable[[Body, "Refused"], list[str]]
    change: Callable[[Body, str, Body | None], None]
    told: Callable[[str], str]
    setting: Callable[[str], str] = lambda _: ""
    values: re.Pattern[str] = re.compile(OMITTED)


@dataclass(frozen=True, slots=True)
class Refused:
    """A refusal as it was read: the `places` in the request that it points to, its words, and the numbers in them."""

    status: int
    places: Sequence[str]
    words: str
    numbers: frozenset[int]


def adapted(status: int, said: object, body: Body, learned: Learned) -> Iterator[dict[str, str]]:
    """Yield what may be learned from a refusal of `body`, the likeliest first; `said` is the JSON of the refusal."""
    if status not in {*_REFUSING, _FAULTY} or _NO_REFUSAL in map(str, (leaf for _, leaf in _leaves(said))):
        return
    refused = _read(status, said, str(body["model"]))
    rows = ADAPTATIONS
    if status == _FAULTY:
        rows = tuple(row for row in rows if row.key == "system" and _TEMPLATE.search(refused.words))
    named = [(rank, row) for row in rows if (rank := _named(row, body, refused)) is not None]
    for _, row in sorted(named, key=lambda pair: pair[0]):
        for value in row.instead(body, refused):
            yield {**learned, row.key: value}


def adapt(body: Body, learned: Learned, strict_format: Body | None) -> None:
    for row in ADAPTATIONS:
        if row.key in learned and any(row.names(body)):
            row.change(body, learned[row.key], strict_format)


def known(stored: Mapping[str, str]) -> dict[str, str]:
    """The stored values that this program can send."""
    rows = {row.key: row for row in ADAPTATIONS}
    return {key: value for key, value in stored.items() if key in rows and rows[key].values.fullmatch(value)}


def told(learned: Learned) -> str:
    return "; ".join(filter(None, (row.told(learned[row.key]) for row in ADAPTATIONS if row.key in learned)))


def settings_for(learned: Learned) -> str:
    """The settings of a model that make learning this unnecessary, as far as there are any."""
    settings = (row.setting(learned[row.key]) for row in ADAPTATIONS if row.key in learned)
    return ", ".join(filter(None, settings))


def _read(status: int, said: object, model: str) -> Refused:
    leaves = list(_leaves(said))
    places = [name for key, leaf in leaves if key in _PLACES for name in _NAME.findall(json.dumps(leaf))]
    words = "\n".join(leaf for key, leaf in leaves if key not in _PLACES and isinstance(leaf, str))
    # A model's name may contain any words, also names of parts of a request.
    words = re.sub(rf"(?a)(?<!\w){re.escape(model)}(?!\w)", "", words)
    codes = {status, *(leaf for key, leaf in leaves if key == "code" and isinstance(leaf, int))}
    numbers = {int(number.replace(",", "")) for number in _NUMBER.findall(words)}
    return Refused(status, places, words, frozenset(numbers - codes))


def _leaves(node: object, key: str = "") -> Iterator[tuple[str, object]]:
    """Yield the values with their keys. The value of a key that names a place stays whole; echoes are left out."""
    if key in _PLACES or not isinstance(node, dict | list):
        yield key, node
    elif isinstance(node, list):
        for part in cast("list[object]", node):
            yield from _leaves(part, key)
    else:
        for name, value in cast("dict[str, object]", node).items():
            if name not in _ECHOES:
                yield from _leaves(value, name)


def _named(row: Adaptation, body: Body, refused: Refused) -> tuple[int, int] | None:
    """A rank for how clearly a refusal names the row's part of the request (0 is clearest), and how early it does; None
    if it does not.
    """
    names = frozenset(row.names(body))
    if not names:
        return None
    ranks = [(0, at) for at, place in enumerate(refused.places) if place in names]
    for match in _NAME.finditer(refused.words):
        name, before, after = match[0], refused.words[: match.start()][-1:], refused.words[match.end() :][:1]
        if name not in names:
            continue
        is_quoted = before != "" and after != "" and before in _QUOTES and after in _QUOTES + "\\"
        if is_quoted or _IDENTIFIER.fullmatch(name):
            ranks.append((1, match.start()))
        elif name == row.key:
            ranks.append((2, match.start()))
    if called := row.called.search(refused.words):
        ranks.append((2, called.start()))
    return min(ranks, default=None)


_NOTHING_ELSE = re.compile(r"(?!)")


def _names(node: object) -> Iterator[str]:
    """Yield the keys, and the values that are texts, at all depths. The names of the reply's own fields in a schema are
    left out.
    """
    if isinstance(node, dict):
        for key, value in cast("dict[str, object]", node).items():
            yield key
            if key in ("properties", "$defs"):
                yield from _names(list(cast("dict[str, object]", value).values()))
            elif key not in ("enum", "required", "name"):
                yield from _names(value)
    elif isinstance(node, list):
        for part in cast("list[object]", node):
            yield from _names(part)
    elif isinstance(node, str):
        yield node


def _below(key: str) -> Callable[[Body], Iterator[str]]:
    return lambda body: _names({key: body[key]} if key in body else {})


def _omitting(key: str, setting: str, called: re.Pattern[str] = _NOTHING_ELSE) -> Adaptation:
    def omit(body: Body, _value: str, _format: Body | None) -> None:
        del body[key]

    return Adaptation(
        key,
        _below(key),
        called,
        lambda _body, _refused: [OMITTED],
        omit,
        lambda _: f"without {key}",
        lambda _: setting,
    )


def _room(body: Body) -> str:
    return next((name for name in ROOMS if name in body), "")


def room_in(body: Body) -> int:
    """The tokens that a body allows for a reply; 0 where it names none."""
    return body.get(_room(body), 0)


def _room_names(body: Body) -> Iterator[str]:
    return (name for name in ROOMS if name in body)


def _other_room(body: Body, refused: Refused) -> list[str]:
    # A refusal that has numbers is about the value.
    has_numbers = any(number >= _LEAST_ROOM for number in refused.numbers)
    return [] if has_numbers else [name for name in ROOMS if name not in body]


def _rename(body: Body, name: str, _format: Body | None) -> None:
    body[name] = body.pop(_room(body))


def _less_room(body: Body, refused: Refused) -> list[str]:
    sent: int = body[_room(body)]
    lower = [number for number in refused.numbers if _LEAST_ROOM <= number < sent]
    # A larger number is the model's window: how much of it is left for a reply depends on the prompt.
    return [str(max(lower))] if lower and sent >= max(refused.numbers) else []


def _raise(body: Body, more: str, _format: Body | None) -> None:
    if body[_room(body)] > FEW_TOKENS:
        body[_room(body)] += int(more)


def _lower(body: Body, most: str, _format: Body | None) -> None:
    body[_room(body)] = min(body[_room(body)], int(most))


def _other_form(body: Body, refused: Refused) -> list[str]:
    if body["response_format"]["type"] == "json_schema":
        return ["json_object", OMITTED]
    return ["json_schema", OMITTED] if "json_schema" in refused.words else [OMITTED]


def _reform(body: Body, form: str, strict_format: Body | None) -> None:
    if form == OMITTED:
        del body["response_format"]
        schema = json.dumps(strict_format["json_schema"]["schema"] if strict_format else {})
        body["messages"][0]["content"] += f"\n\nThe JSON must fit this schema: {schema}"
    else:
        body["response_format"] = strict_format if form == "json_schema" else {"type": form}


def _told_form(form: str) -> str:
    return "without response_format" if form == OMITTED else f"response_format {form}"


def _form_setting(form: str) -> str:
    if form == OMITTED:
        return "extra_body: {response_format: null}"
    return f"strict_schema: {str(form == 'json_schema').lower()}"


def _system_names(body: Body) -> Iterable[str]:
    return ("role", "system") if body["messages"][0]["role"] == "system" else ()


def _merge(body: Body, _value: str, _format: Body | None) -> None:
    system, user, *others = body["messages"]
    body["messages"] = [{**user, "content": f"{system['content']}\n\n{user['content']}"}, *others]


_ROOM_CALLED = re.compile(r"(?ai)\bmax[ _]?(?:new|output|completion)?[ _]?tokens\b")
_FORM_CALLED = re.compile(
    r"(?ai)\b(?:json[ _-]?(?:mode|schema|object)|structured[ _-]?outputs?|response[ _-]?(?:format|schema)"
    r"|guided[ _-]\w+)"
)
_SYSTEM_CALLED = re.compile(r"(?ai)\b(?:roles?|(?:system|developer)[ _-]?(?:prompt|message|instruction)s?)\b")
_EFFORT_CALLED = re.compile(r"(?ai)\b(?:reasoning|thinking)\b")

ADAPTATIONS = (
    Adaptation(
        "room",
        _room_names,
        _ROOM_CALLED,
        _other_room,
        _rename,
        lambda name: f"{name} instead of {next(other for other in ROOMS if other != name)}",
        values=re.compile("|".join(ROOMS)),
    ),
    # The room that a model's thoughts need beside its reply comes first, then the most tokens that a server takes.
    Adaptation(
        THOUGHTS,
        _room_names,
        re.compile(rf"{_ROOM_CALLED.pattern}|\b(?:context|n_ctx)\b"),
        lambda _body, _refused: ["0"],
        _raise,
        lambda room: f"{room} more tokens for thoughts" if int(room) else "",
        values=re.compile(r"\d{1,6}"),
    ),
    Adaptation(
        "most_tokens",
        _room_names,
        _ROOM_CALLED,
        _less_room,
        _lower,
        lambda most: f"at most {most} tokens for a reply",
        values=re.compile(r"[1-9]\d{1,8}"),
    ),
    _omitting("temperature", "extra_body: {temperature: null}"),
    _omitting("reasoning_effort", "reasoning_effort: null", _EFFORT_CALLED),
    _omitting("stream_options", "extra_body: {stream_options: null}"),
    Adaptation(
        "response_format",
        _below("response_format"),
        _FORM_CALLED,
        _other_form,
        _reform,
        _told_form,
        _form_setting,
        re.compile(f"json_object|json_schema|{OMITTED}"),
    ),
    # The system message comes after the format, whose change may add to it.
    Adaptation(
        "system",
        _system_names,
        _SYSTEM_CALLED,
        lambda _body, _refused: [OMITTED],
        _merge,
        lambda _: "the system message as a part of the user's",
    ),
)
