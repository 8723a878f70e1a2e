"""The interface to rate limits: reserve before a call, settle after it, learn from the answer."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from clients.llm.protocol import ModelError, ModelReply

Sleep = Callable[[float], Awaitable[None]]
"""The sleep of a call that waits for its turn."""


@dataclass(frozen=True, slots=True)
class Priority:
    """Order of waiting calls: interactive before batch, then by time of acceptance."""

    is_batch: bool = False
    since: float = 0.0
    """When the query was accepted, Unix seconds by the database's clock."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A reservation of one request of `tokens` (prompt and allowed completion) for `model`."""

    id: str
    model: str
    tokens: int


class Limiter(Protocol):
    """One allowance for all processes."""

    async def acquire(
        self, model: str, tokens: int, priority: Priority, *, patience_s: float, sleep: Sleep = asyncio.sleep
    ) -> Lease:
        """Wait for `tokens` and one request, at most `patience_s` seconds.

        Raises CallDeferred with the seconds after which to retry. Nothing is reserved then, nor during a `sleep`.
        """
        ...

    async def settle(self, lease: Lease, outcome: ModelReply | ModelError | None) -> None:
        """Return unused tokens, and learn the limits that the server reported with its answer.

        `outcome` None: the call was never sent, or its result is unknown.
        """
        ...

    async def aclose(self) -> None:
        """Release connections."""
        ...


class Unlimited:
    """A Limiter for models without limits: those that run in this process."""

    async def acquire(
        self, model: str, tokens: int, priority: Priority, *, patience_s: float, sleep: Sleep = asyncio.sleep
    ) -> Lease:
        """Grant at once."""
        del priority, patience_s, sleep
        return Lease("", model, tokens)

    async def settle(self, lease: Lease, outcome: ModelReply | ModelError | None) -> None:
        """Nothing is counted."""

    async def aclose(self) -> None:
        """There is nothing to release."""
