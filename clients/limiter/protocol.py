"""What the rest of Citewell knows of limits: reserve before a call, settle after it, learn from the answer."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from clients.llm.protocol import ModelError, ModelReply

Sleep = Callable[[float], Awaitable[None]]
"""How somebody waits who has not got its place yet."""


@dataclass(frozen=True, slots=True)
class Priority:
    """Who goes first among those that wait: interactive before batch, then whoever was accepted earlier."""

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
        """Wait for `tokens` and one request, `patience_s` seconds at most.

        Raises CallDeferred with the seconds after which it is worth to come again; nothing is reserved then, nor
        during a `sleep`.
        """
        ...

    async def settle(self, lease: Lease, outcome: ModelReply | ModelError | None) -> None:
        """Give back what was reserved and not used, and learn from the limits that the server told with its answer.

        `outcome` None: the call was never sent, or nobody knows what became of it.
        """
        ...

    async def aclose(self) -> None:
        """Release connections."""
        ...


class Unlimited:
    """A Limiter for models that have no limits: those that run in this process."""

    async def acquire(
        self, model: str, tokens: int, priority: Priority, *, patience_s: float, sleep: Sleep = asyncio.sleep
    ) -> Lease:
        """At once."""
        del priority, patience_s, sleep
        return Lease("", model, tokens)

    async def settle(self, lease: Lease, outcome: ModelReply | ModelError | None) -> None:
        """Nothing is counted."""

    async def aclose(self) -> None:
        """There is nothing to release."""
