"""Decides when growing text is worth publishing: at once while it is watched, else at long intervals."""

import asyncio
import time
from collections.abc import Callable

ASK_EVERY_S = 0.25
"""How soon a new watcher, or the absence of one, is noticed."""
UNWATCHED_EVERY_S = 1.0
"""The interval for unwatched queries: a watcher may come, or may be unknown to the wake-up channel."""


class Interest:
    """The watchers of one query. `is_watched` may use the network; it is called in a thread."""

    def __init__(self, is_watched: Callable[[], bool]) -> None:
        self._ask = is_watched
        self.is_watched = True
        self._asked_at = float("-inf")
        self._told_at = time.monotonic()

    async def wants_news(self) -> bool:
        now = time.monotonic()
        if now - self._asked_at >= ASK_EVERY_S:
            self._asked_at = now
            self.is_watched = await asyncio.to_thread(self._ask)
        return self.is_watched or now - self._told_at >= UNWATCHED_EVERY_S

    def told(self) -> None:
        self._told_at = time.monotonic()
