"""A process that takes as many tokens as it gets for some seconds, and reports when it asked and when it got them.

None of its calls ever ends. It reports that it is ready, then waits for a line before it begins.
"""

import asyncio
import sys
import time

from clients.limiter.protocol import LimiterTerms, Priority
from clients.llm.protocol import CallDeferred
from tests.clients.limiter.stage import MODEL, limiter, reply


async def share(url: str, account: str, seconds: float, limit: float, tokens: int, lease_s: float) -> None:
    """Take `tokens` repeatedly, in ten tasks."""
    # A machine that is busy with so many processes is no outage.
    settings = LimiterTerms(margin=0, lease_s=lease_s, timeout_s=10)
    one = limiter(url, account=account, settings=settings, tpm=limit)
    first = await one.acquire(MODEL, tokens, Priority(), patience_s=30)
    await one.settle(first, reply(1))
    await one.flush()
    _say("ready")
    sys.stdin.readline()
    ends_at = time.time() + seconds

    async def take() -> None:
        while (left := ends_at - (asked := time.time())) > 0:
            try:
                await one.acquire(MODEL, tokens, Priority(), patience_s=left)
            except CallDeferred:
                return
            _say(f"{asked} {time.time()}")

    await asyncio.gather(*(take() for _ in range(10)))
    await one.aclose()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    url, account, seconds, limit, tokens, lease_s = sys.argv[1:]
    asyncio.run(share(url, account, float(seconds), float(limit), int(tokens), float(lease_s)))
