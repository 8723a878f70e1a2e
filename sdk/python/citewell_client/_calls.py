"""Requests as values, which both clients send and whose responses both clients read in the same way."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx

from citewell_client.errors import not_citewell

IDEMPOTENCY_KEY = "Idempotency-Key"
JSON_TYPE = {"Content-Type": "application/json"}
_PAGE = 100
_T = TypeVar("_T")


def object_of(response: httpx.Response) -> Any:
    """Return the JSON object of a response. Raises ApiProblem for anything else."""
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise not_citewell(response)
    return body  # pyright: ignore[reportUnknownVariableType] - the caller names the shape


def list_of(name: str) -> Callable[[httpx.Response], Any]:
    """Return a reader of the list under `name` in a response."""

    def read(response: httpx.Response) -> Any:
        try:
            return object_of(response)[name]
        except KeyError:
            raise not_citewell(response) from None

    return read


def page_of(name: str) -> Callable[[httpx.Response], "Page[Any]"]:
    """Return a reader of one page of the list under `name` in a response."""
    items = list_of(name)
    return lambda response: Page(items(response), object_of(response).get("next_cursor"))


def lines_of(response: httpx.Response) -> Any:
    """Return the objects of JSON Lines."""
    try:
        # Not splitlines(): it also splits at characters that JSON allows in strings.
        return [json.loads(line) for line in response.content.split(b"\n") if line.strip()]
    except ValueError:
        raise not_citewell(response) from None


def text_of(response: httpx.Response) -> str:
    return response.text


def bytes_of(response: httpx.Response) -> bytes:
    return response.content


def nothing_of(_: httpx.Response) -> None:
    """The reader of responses without content."""


@dataclass(frozen=True, slots=True)
class Page(Generic[_T]):
    """A part of a list; `next_cursor` requests the next one, None after the last."""

    items: list[_T]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Call(Generic[_T]):
    """A request, and the reader of its response. `wait` is the extra seconds that the server may take."""

    method: str
    path: str
    read: Callable[[httpx.Response], _T]
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Mapping[str, Any] = field(default_factory=dict[str, Any])
    wait: float = 0.0

    @property
    def repeatable(self) -> bool:
        """Return whether sending the request twice has the same effect as sending it once."""
        return self.method == "GET" or IDEMPOTENCY_KEY in self.headers


def at(*parts: str) -> str:
    """Return the path of a route; each part is one segment, with any content."""
    return "/v1/" + "/".join(quote(part, safe="") for part in parts)


def without_none(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def as_json(value: object) -> bytes:
    """JSON in ASCII: lone surrogates are left to the server, which rejects them with a reason."""
    return json.dumps(value).encode()


def json_body(value: object) -> dict[str, Any]:
    return {"content": as_json(value)}


class Pages(Generic[_T]):
    """The position in a list of at most `limit` entries; None for all. `ask` takes the size of a page and a cursor."""

    def __init__(self, ask: Callable[[int, str | None], Call[Page[_T]]], limit: int | None) -> None:
        self._ask = ask
        self._left = limit
        self._cursor: str | None = None
        self.over = limit is not None and limit <= 0

    def next(self) -> Call[Page[_T]]:
        return self._ask(_PAGE if self._left is None else min(self._left, _PAGE), self._cursor)

    def take(self, page: Page[_T]) -> list[_T]:
        """Return the entries of a page, up to the limit."""
        taken = page.items[: self._left]
        self._cursor = page.next_cursor
        if self._left is not None:
            self._left -= len(taken)
        self.over = not self._cursor or self._left == 0
        return taken
