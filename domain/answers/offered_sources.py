"""The sources in a request to another model: tool results and documents, but not the words of people."""

import unicodedata
from base64 import b64decode
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from domain.query.attached_text import attached_texts

Json = Mapping[str, Any]
_OF_TOOLS = ("tool", "function")
_OF_THE_MODEL = "assistant"
_OF_PEOPLE = ("user", "system", "developer")
_TITLE_CHARS = 300
_LONGEST_READ = 3_000
SOURCE_PARTS = ("document", "search_result")
"""The types of parts of messages that are sources."""


@dataclass(frozen=True, slots=True)
class Offered:
    """A source of a request: its text, its title and address there, and the index of the message that it came with."""

    text: str
    title: str | None = None
    url: str | None = None
    message: int = 0

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def offered_sources(
    messages: Sequence[Any], documents: Sequence[Any] = (), tools: Collection[str] = (), *, attached: bool = False
) -> list[Offered]:
    """Return the sources in the order of the request.

    These are the results of `tools` (of all if none is named), parts of the types `document` and `search_result` of
    messages that the model did not write, and `documents` as vLLM and Cohere take them. The words of users, systems and
    the model are no sources. With `attached`, the texts that a chat program put between marks into the messages of
    users and systems are sources, too.
    """
    rows = [cast("Json", message) for message in messages if isinstance(message, Mapping)]
    names = dict(_called(rows))
    offers = [(at, offered) for at, row in enumerate(rows) for offered in _of_message(row, names, tools)]
    offers += [(at, offered) for at, row in enumerate(rows) if attached for offered in _attached(row)]
    offers += [(len(rows), offered) for document in documents if (offered := _document(document))]
    return [
        Offered(text, offered.title and _name(offered.title), offered.url and storable(offered.url), at)
        for at, offered in offers
        if (text := storable(offered.text)).strip()
    ]


def storable(text: str) -> str:
    """The text without characters that the database cannot store: NUL and half surrogate pairs."""
    return text.replace("\x00", "").encode(errors="replace").decode()


def _name(title: str) -> str | None:
    """The title on one line, without control signs and signs that turn the reading direction; None if nothing is
    left.
    """
    kinds = [(sign, unicodedata.category(sign)) for sign in storable(title[:_LONGEST_READ])]
    plain = "".join(" " if kind == "Cc" else sign for sign, kind in kinds if kind != "Cf")
    return " ".join(plain.split())[:_TITLE_CHARS] or None


def _called(rows: Sequence[Json]) -> Iterator[tuple[str, str]]:
    for row in rows:
        for call in _list(row.get("tool_calls")):
            if isinstance(call, Mapping):
                of_call = cast("Json", call)
                yield str(of_call.get("id")), str(_mapping(of_call.get("function")).get("name"))


def _of_message(row: Json, names: Mapping[str, str], tools: Collection[str]) -> Iterator[Offered]:
    role, content = row.get("role"), row.get("content")
    if role == _OF_THE_MODEL:
        return
    if role in _OF_TOOLS:
        # The call decides which tool was called: a message may have any name.
        name = names.get(str(row.get("tool_call_id")), _text(row.get("name")))
        if tools and name not in tools:
            return
        yield Offered(_words(content), name or None)
    for part in _list(content):
        if _mapping(part).get("type") in SOURCE_PARTS:
            yield from filter(None, [_document(part)])


def _attached(row: Json) -> Iterator[Offered]:
    role = row.get("role")
    if role in _OF_PEOPLE:
        told = attached_texts(_words(row.get("content")), is_question=role == "user")
        yield from (Offered(text, title) for title, text in told)


def _document(given: object) -> Offered | None:
    """Read a document as Anthropic, Cohere, vLLM or a framework writes it; None if it has no text."""
    if isinstance(given, str):
        return Offered(given)
    if not isinstance(given, Mapping):
        return None
    fields = cast("Json", given)
    inner = [_decoded(_mapping(fields.get(name))) for name in ("source", "data", "document")]
    holders = [fields, *inner]
    text = next((words for held in holders for name in _TEXTS if (words := _words(held.get(name)))), "")
    title = next((_text(held.get(name)) for held in holders for name in ("title", "id") if held.get(name)), "")
    url = next((_text(fields.get(name)) for name in ("url", "source") if _text(fields.get(name))), "")
    return Offered(text, title or None, url or None) if text else None


def _decoded(source: Json) -> Json:
    """A Base64 source with its data decoded, or without data if that is no text. Other sources stay unchanged."""
    if source.get("type") != "base64":
        return source
    try:
        is_text = _text(source.get("media_type")).startswith("text/")
        return {"data": b64decode(_text(source.get("data")), validate=True).decode() if is_text else ""}
    except ValueError:
        return {}


_TEXTS = ("text", "content", "page_content", "snippet", "data")


def _words(content: object) -> str:
    """The text of a content, which is a text or a list of parts."""
    if isinstance(content, str):
        return content
    parts = [part if isinstance(part, str) else _text(_mapping(part).get("text")) for part in _list(content)]
    return "\n".join(filter(None, parts))


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _mapping(value: object) -> Json:
    return cast("Json", value) if isinstance(value, Mapping) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
