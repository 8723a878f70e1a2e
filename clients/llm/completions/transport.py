"""Transports of chat completions: the Protocol of every client of the wire format, and their two shared errors."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

Body = dict[str, Any]

MOST_OF_REFUSAL = 64_000
"""Bytes read of an answer with an error status: its message is shown only in part."""
NOT_COMPRESSED = "identity"
"""The only encoding requested."""


class Transport(Protocol):
    """Sends a request once. It belongs to one event loop; its exceptions are among errors.FAILURES.

    Every call raises a TimeoutError, or the SDK's, when no byte comes for `silence_s` seconds.
    """

    def answer(
        self, body: Body, silence_s: float
    ) -> AbstractAsyncContextManager[tuple[Mapping[str, str], AsyncIterator[bytes]]]:
        """The headers, and the body as the server sends it; leaving the block early stops the server."""
        ...

    def secrets(self, model: str) -> Sequence[str]:
        """The key and header values that requests for `model` carry. They must never be shown."""
        ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer with an error status; `body` is its JSON or its text. `key` must never be shown."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: object
    key: str = field(default="", repr=False)


class Refused(Exception):
    """The server answered with an error status."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"HTTP {refusal.status}")
        self.refusal = refusal


class Unreachable(Exception):
    """Nothing was sent: there was no connection. `server` is the address that was tried."""

    def __init__(self, server: str) -> None:
        super().__init__(server)
        self.server = server
