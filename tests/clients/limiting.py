"""A limiter that records requests and admits them as planned."""

import asyncio

from clients.limiter import Lease, Priority
from clients.limiter.protocol import Sleep
from clients.llm.protocol import CallDeferred, ModelError, ModelReply


class Doorkeeper:
    """`full` are the waits of the next requests, in seconds; a request without enough patience is not admitted."""

    def __init__(self, *full: float) -> None:
        self.full = list(full)
        self.asked: list[tuple[str, int, Priority, float]] = []
        self.held: list[Lease] = []
        self.settled: list[ModelReply | ModelError | None] = []

    async def acquire(
        self, model: str, tokens: int, priority: Priority, *, patience_s: float, sleep: Sleep = asyncio.sleep
    ) -> Lease:
        del sleep
        self.asked.append((model, tokens, priority, patience_s))
        if self.full and (wait := self.full.pop(0)) > patience_s:
            raise CallDeferred(wait, f"{model} is full")
        self.held.append(Lease(str(len(self.asked)), model, tokens))
        return self.held[-1]

    async def settle(self, lease: Lease, outcome: ModelReply | ModelError | None) -> None:
        self.held.remove(lease)
        self.settled.append(outcome)

    async def aclose(self) -> None:
        assert self.held == []
