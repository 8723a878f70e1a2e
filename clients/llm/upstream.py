"""Asks the model's server behind the guard's proxy: sends a request as the client wrote it, and reads the values of the
answer.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast
from weakref import WeakKeyDictionary

from clients.addresses import endpoint, key_headers
from clients.llm.completions.aiohttp_transport import LeanTransport
from clients.llm.completions.errors import FAILURES
from clients.llm.completions.event_stream import DONE, read_pieces, unpacked
from clients.llm.completions.server_words import server_words
from clients.llm.completions.transport import Refused, Unreachable

_MOST_BYTES = 20_000_000
_BAD_GATEWAY, _GATEWAY_TIMEOUT = 502, 504
# These are the client's own faults, or tell it to wait. A refused key is the operator's fault and is not handed on.
_HANDED_ON = frozenset({400, 404, 413, 415, 422, 429})
_transports: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str], LeanTransport]] = WeakKeyDictionary()


class UpstreamFailed(Exception):
    """The model's server gave no answer. `status` is the status that the client gets."""

    def __init__(self, message: str, status: int = _BAD_GATEWAY, retry_after: str | None = None) -> None:
        super().__init__(message)
        self.message, self.status, self.retry_after = message, status, retry_after


@asynccontextmanager
async def answering(
    url: str, key: str, body: Mapping[str, Any], silence_s: float
) -> AsyncGenerator[AsyncIterator[Mapping[str, Any]]]:
    """The JSON objects of the answer: a single one, or its chunks if the body has `stream`. Leaving the block early
    stops the server.

    Raises UpstreamFailed at the beginning and while the objects are read, also for a stream that breaks off.
    """
    try:
        async with _transport(url, key).answer(dict(body), silence_s) as (headers, content):
            yield _objects(unpacked(headers, content, _MOST_BYTES), streamed=bool(body.get("stream")))
    except Refused as error:
        raise _refused(error) from error
    except Unreachable as error:
        raise UpstreamFailed("The model's server cannot be reached; check guard.upstream_url.") from error


def _transport(url: str, key: str) -> LeanTransport:
    # A transport belongs to one event loop.
    of_loop = _transports.setdefault(asyncio.get_running_loop(), {})
    if (url, key) not in of_loop:
        address = endpoint(url, "chat/completions")
        of_loop[url, key] = LeanTransport(key, address, key_headers=key_headers(url, key))
    return of_loop[url, key]


async def _objects(content: AsyncIterator[bytes], *, streamed: bool) -> AsyncIterator[Mapping[str, Any]]:
    is_whole = False
    try:
        async for value in read_pieces(content):
            if value == DONE:
                return
            if not isinstance(value, dict):
                raise UpstreamFailed("The model's server sent something else than a chat completion.")
            sent = cast("dict[str, Any]", value)
            if sent.get("error"):
                raise UpstreamFailed("The model's server stopped with an error.")
            yield sent
            is_whole = is_whole or not streamed or _is_last(sent)
    except TimeoutError as error:
        raise UpstreamFailed("The model's server fell silent.", _GATEWAY_TIMEOUT) from error
    except FAILURES as error:
        raise UpstreamFailed("The connection to the model's server broke.") from error
    if not is_whole:
        raise UpstreamFailed("The model's server ended before its answer did.")


def _is_last(chunk: Mapping[str, Any]) -> bool:
    choices = chunk.get("choices")
    return isinstance(choices, list) and any(
        isinstance(choice, dict) and cast("dict[str, Any]", choice).get("finish_reason")
        for choice in cast("list[Any]", choices)
    )


def _refused(error: Refused) -> UpstreamFailed:
    refusal = error.refusal
    words = server_words(refusal.body).text
    said = words.replace(refusal.key, "***") if refusal.key else words
    message = f"The model's server refused: {said or refusal.reason or refusal.status}"
    if refusal.status not in _HANDED_ON:
        return UpstreamFailed(f"{message} (HTTP {refusal.status}).")
    return UpstreamFailed(message, refusal.status, refusal.headers.get("retry-after"))
