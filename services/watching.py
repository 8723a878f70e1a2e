"""Whether what is being written is worth telling: at once while somebody watches, else now and then."""

import asyncio
import time
from collections.abc import Callable

ASK_EVERY_S = 0.25
"""How soon it is noticed that somebody has begun to watch, or that nobody does any more."""
UNWATCHED_EVERY_S = 1.0
"""How often is told what nobody watches: somebody may come, or be there, whom the bell does not know."""


class Interest:
    """Of those who watch one query. `is_watched` may ask the network; it is called in a thread."""

    def __init__(self, is_watched: Callable[[], bool]) -> None:
        self._ask = is_watched
        self.is_watched = True
        self._asked_at = float("-inf")
        self._told_at = time.monotonic()

    async def wants_news(self) -> bool:
        """Whether it is time to tell what is new."""
        now = time.monotonic()
        if now - self._asked_at >= ASK_EVERY_S:
            self._asked_at = now
            self.is_watched = await asyncio.to_thread(self._ask)
        return self.is_watched or now - self._told_at >= UNWATCHED_EVERY_S

    def told(self) -> None:
        """It was told."""
        self._told_at = time.monotonic()
