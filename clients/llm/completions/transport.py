"""What a request of chat completions carries, and the two errors of its transport."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Body = dict[str, Any]

MOST_OF_REFUSAL = 64_000
"""Bytes read of an answer with an error status: its message is shown only in part."""
NOT_COMPRESSED = "identity"
"""The only encoding requested."""


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
