"""Reads a server's report of a failed call from any JSON, text or page: its words, its codes, and the wait it names."""

import json
import math
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from clients.http_responses import retry_after_s

_WORDS = (
    "message",
    "msg",
    "error_description",
    "detail",
    "details",
    "error",
    "errors",
    "innererror",
    "reason",
    "title",
)
"""The keys under which servers put their words, the likeliest first; after these any text that has a blank."""
_CAUSES = ("metadata", "innererror", "cause", "raw")
"""The keys under which gateways put the words of the server behind them."""
_CODES = ("code", "type", "status", "error_type", "reason")
_NESTED = 6
"""The most levels of nesting that are read; servers use fewer."""
_MOST_ENTRIES = 20
_MOST_PARTS = 3
_LONGEST = 2_000
"""Characters of a text that is not JSON; anything longer is no message but a page or a dump."""
_REQUEST_ERROR, _SERVER_ERROR, _STATUS_DIGITS = 400, 500, 3
_PASSING = {408, 409, 425, 429, 498, 499}
_PERMANENT = re.compile(r"invalid|auth|permission|not_?found|quota|billing|credit|unsupported|forbidden")
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_UNITS_S = (3600.0, 60.0, 1.0, 0.001)


@dataclass(frozen=True, slots=True)
class ServerWords:
    """`text` is empty if the server gave no reason; `codes` are its names for the failure, in lower case."""

    text: str
    codes: tuple[str, ...]
    fields: Mapping[str, Any]
    """The fields of the error itself."""
    usage: object = None

    @property
    def code(self) -> str | None:
        return next(iter(self.codes), None)


def server_words(body: object) -> ServerWords:
    body = parsed(body)
    fields = _fields(body)
    codes = dict.fromkeys(
        str(value).lower() for key in _CODES for value in (fields.get(key),) if isinstance(value, str | int) and value
    )
    return ServerWords(_text(body), tuple(codes), fields, _own(body).get("usage"))


def named_wait_s(headers: Mapping[str, str], body: object) -> float | None:
    """The seconds after which the server wants to be asked again, or None."""
    milliseconds = _seconds(f"{headers.get('retry-after-ms', '').strip()}ms")
    told = headers.get("retry-after", "")
    if milliseconds is not None:
        return milliseconds
    if (seconds := _seconds(told)) is not None:
        return seconds
    if (until := retry_after_s(told, time.time())) is not None:
        return until
    delay = next((value for key, value in _entries(parsed(body)) if key == "retrydelay"), None)
    return _seconds(delay) if isinstance(delay, str) else None


def _seconds(told: str) -> float | None:
    told = "".join(told.lower().split())
    try:
        value = float(told)
    except ValueError:
        if not told or not (parts := _DURATION.fullmatch(told)):
            return None
        value = math.fsum(float(part or 0) * unit for part, unit in zip(parts.groups(), _UNITS_S, strict=True))
    return round(value, 3) if math.isfinite(value) and value >= 0 else None


def parsed(body: object) -> object:
    """The JSON in a text, also if it is a string within JSON; anything else as it is."""
    for _ in range(2):
        if not isinstance(body, str) or body.lstrip()[:1] not in ("{", "[", '"'):
            return body
        try:
            body = json.loads(body)
        except (ValueError, RecursionError):
            return body
    return body


def _fields(body: object) -> Mapping[str, Any]:
    """The innermost object that describes the error."""
    for _ in range(_NESTED):
        if isinstance(body, list) and body:
            body = cast("list[object]", body)[0]
        own = _own(body)
        inner = next((own[key] for key in ("error", "errors") if isinstance(own.get(key), dict | list)), None)
        if not inner:
            return own
        body = inner
    return {}


def _own(value: Any) -> dict[str, Any]:
    return (
        {key.lower(): entry for key, entry in cast("dict[str, Any]", value).items()} if isinstance(value, dict) else {}
    )


def _text(value: object, depth: int = 0) -> str:
    value = parsed(value)
    if depth > _NESTED or not isinstance(value, str | list | dict):
        return ""
    if isinstance(value, str):
        return _line(value)
    if isinstance(value, list):
        parts = [_text(entry, depth + 1) for entry in cast("list[object]", value)[:_MOST_ENTRIES]]
        return "; ".join([part for part in dict.fromkeys(parts) if part][:_MOST_PARTS])
    own = _own(value)
    said = next((text for key in _WORDS if (text := _text(own.get(key), depth + 1))), "")
    if not said:
        texts = (_text(entry, depth + 1) for entry in [*own.values()][:_MOST_ENTRIES])
        said = max((text for text in texts if " " in text), key=len, default="")
    where = own.get("loc")
    if said and isinstance(where, list):
        said = f"{'.'.join(map(str, cast('list[object]', where)[:_NESTED]))}: {said}"
    cause = next((text for key in _CAUSES if (text := _text(own.get(key), depth + 1))), "")
    return f"{said}: {cause}" if said and cause and cause not in said else said


def _line(text: str) -> str:
    if text.lstrip()[:1] == "<":
        title = _TITLE.search(text)
        text = title[1] if title else ""
    return " ".join(text.split()) if len(text) <= _LONGEST * _NESTED else ""


def _entries(value: object, depth: int = 0) -> Iterator[tuple[str, object]]:
    if depth > _NESTED:
        return
    entries = [*_own(value).items()][:_MOST_ENTRIES]
    yield from entries
    inner = cast("list[object]", value)[:_MOST_ENTRIES] if isinstance(value, list) else [entry for _, entry in entries]
    for entry in inner:
        if isinstance(entry, dict | list):
            yield from _entries(cast("object", entry), depth + 1)


@dataclass(frozen=True, slots=True)
class Fault:
    """A failure that a server reports in an answer with status 200."""

    message: str
    status: int | None = None
    code: str = ""

    @property
    def is_temporary(self) -> bool:
        if self.status is not None:
            return self.status >= _SERVER_ERROR or self.status in _PASSING
        return bool(self.code) and not self.is_permanent

    @property
    def is_permanent(self) -> bool:
        if self.status is not None and self.status >= _REQUEST_ERROR:
            return not self.is_temporary
        return _PERMANENT.search(self.code) is not None


def fault_in(chunk: Mapping[str, Any], choice: Mapping[str, Any] | None, groq: Mapping[str, Any]) -> Fault | None:
    """Return the failure that a server reports in an answer with status 200, or None. `groq` has the fields that only
    Groq sends.
    """
    error = chunk.get("error") or groq.get("error") or (choice or {}).get("error")
    if not error and choice is None and (said := chunk.get("message") or chunk.get("detail")):
        error = chunk if isinstance(said, str) else said
    if not error:
        return None
    detail = _fields(error)
    said = detail.get("message") or detail.get("detail") or detail.get("error") or error
    message = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    codes = map(_status, (detail.get("code"), detail.get("status"), error))
    words = " ".join(str(detail.get(name) or "") for name in ("code", "type", "status")).lower()
    return Fault(message, next(filter(None, codes), None), words.strip())


def _status(code: object) -> int | None:
    is_one = isinstance(code, int | str) and str(code).isdecimal() and len(str(code)) == _STATUS_DIGITS
    return int(cast("str", code)) if is_one else None
