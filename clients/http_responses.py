"""Reads of HTTP answers: no more than a reply to the request can take (F5), and their Retry-After."""

import re
import time
from datetime import UTC
from email.utils import parsedate_to_datetime

import httpx

UNPACKED = {"accept-encoding": "identity"}
"""The length of a compressed answer is unknown in advance, so none is requested or accepted."""
_MOST_OF_ERROR = 64_000
"""Bytes read of an answer with an error status: its message is shown only in part."""
_SECONDS = re.compile(r"[0-9]{1,12}")


class NotRead(Exception):
    """The answer was not read to its end; `str` continues a sentence that begins with the server's name."""


class Slow(NotRead):
    """The answer came too slowly."""


def posted(
    client: httpx.Client, path: str, body: object, *, most_bytes: int, within_s: float
) -> tuple[httpx.Response, bytes]:
    """Send a POST, and return the answer with its body, which must arrive within `within_s`. Raises NotRead,
    httpx.HTTPError.
    """
    with client.stream("POST", path, json=body) as response:
        read, until = _Body(response, most_bytes), time.monotonic() + within_s
        for piece in response.iter_raw():
            if time.monotonic() > until:
                raise Slow(f"did not send its whole reply in {within_s:g} s")
            if read.is_full_with(piece):
                break
        return response, bytes(read.content)


async def posted_soon(
    client: httpx.AsyncClient, url: str, body: object, *, most_bytes: int
) -> tuple[httpx.Response, bytes]:
    """Like `posted`, for a caller that has a deadline for everything."""
    async with client.stream("POST", url, json=body) as response:
        read = _Body(response, most_bytes)
        async for piece in response.aiter_raw():
            if read.is_full_with(piece):
                break
        return response, bytes(read.content)


class _Body:
    """The bytes read so far. An error body is truncated at the limit; any other body beyond it raises NotRead."""

    def __init__(self, response: httpx.Response, most_bytes: int) -> None:
        self.content = bytearray()
        self._is_error = response.is_error
        self._most = _MOST_OF_ERROR if response.is_error else most_bytes
        if response.headers.get("content-encoding", "identity") != "identity" and not self._is_error:
            raise NotRead("sent a packed reply, which it was not asked for")

    def is_full_with(self, piece: bytes) -> bool:
        self.content += piece
        if len(self.content) <= self._most:
            return False
        if not self._is_error:
            raise NotRead(f"sent more than the {self._most:,} bytes that a reply to this request can have")
        del self.content[self._most :]
        return True


def retry_after_s(value: str, now: float) -> float | None:
    """Seconds from `now` (Unix time) until the time in a Retry-After header, which has a number of seconds or a date;
    None for anything else.
    """
    value = value.strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    # A date without a zone is in GMT: HTTP allows no other.
    return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)


def described(error: BaseException) -> str:
    # The root cause has the message: the exceptions raised from it only say where it happened.
    while error.__cause__:
        error = error.__cause__
    text = error.strerror if isinstance(error, OSError) else None
    return text or str(error) or type(error).__name__
