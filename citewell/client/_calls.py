"""A request as a value: both clients send the same ones, and read the responses the same way."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx

from citewell.client.errors import not_citewell

IDEMPOTENCY_KEY = "Idempotency-Key"
_T = TypeVar("_T")


def object_of(response: httpx.Response) -> Any:
    """The JSON object of a response. Raises ApiProblem for anything else."""
    try:
        found = response.json()
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise not_citewell(response)
    return found  # pyright: ignore[reportUnknownVariableType] - the caller names the shape


def list_of(name: str) -> Callable[[httpx.Response], Any]:
    """Reads the list that a response has under `name`."""

    def read(response: httpx.Response) -> Any:
        try:
            return object_of(response)[name]
        except KeyError:
            raise not_citewell(response) from None

    return read


def page_of(name: str) -> Callable[[httpx.Response], "Page[Any]"]:
    """Reads one page of the list that a response has under `name`."""
    items = list_of(name)
    return lambda response: Page(items(response), object_of(response).get("next_cursor"))


def lines_of(response: httpx.Response) -> Any:
    """The objects of JSON Lines."""
    try:
        # Not splitlines(): it also splits at characters that JSON allows in texts.
        return [json.loads(line) for line in response.content.split(b"\n") if line.strip()]
    except ValueError:
        raise not_citewell(response) from None


def text_of(response: httpx.Response) -> str:
    """The text of a response."""
    return response.text


def nothing_of(_: httpx.Response) -> None:
    """For responses that only say that it is done."""


@dataclass(frozen=True, slots=True)
class Page(Generic[_T]):
    """A part of a list; with `next_cursor` one can ask for the next one, None after the last."""

    items: list[_T]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Call(Generic[_T]):
    """A request and how its response is read. `wait` are seconds that the server may take longer than usual."""

    method: str
    path: str
    read: Callable[[httpx.Response], _T]
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Mapping[str, Any] = field(default_factory=dict[str, Any])
    wait: float = 0.0

    @property
    def repeatable(self) -> bool:
        """Whether sending it twice does what sending it once does."""
        return self.method == "GET" or IDEMPOTENCY_KEY in self.headers


def at(*parts: str) -> str:
    """The path of a route; each part is one segment, whatever is in it."""
    return "/v1/" + "/".join(quote(part, safe="") for part in parts)


def given(**values: Any) -> dict[str, Any]:
    """Those values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def as_json(value: object) -> bytes:
    """JSON in ASCII: what is no text is for the server to refuse, with its reason."""
    return json.dumps(value).encode()


def json_body(value: object) -> dict[str, Any]:
    """The body of a call whose headers are JSON_TYPE."""
    return {"content": as_json(value)}


JSON_TYPE = {"Content-Type": "application/json"}
