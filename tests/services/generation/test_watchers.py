"""Growing text is published at once to watchers, and seldom without any (A3)."""

import asyncio
import time

import pytest

from services.generation import answer
from services.generation.answer import PublishingSchedule


async def wanted_of(looks: int, *, watched: bool, asked: list[float]) -> int:
    def is_watched() -> bool:
        asked.append(time.monotonic())
        return watched

    interest, wanted = PublishingSchedule(is_watched), 0
    for _ in range(looks):
        if await interest.should_publish():
            interest.record_publication()
            wanted += 1
        await asyncio.sleep(0.01)
    return wanted


async def test_who_watches_is_told_with_every_look(monkeypatch: pytest.MonkeyPatch) -> None:  # A3
    monkeypatch.setattr(answer, "ASK_EVERY_S", 3600.0)
    asked: list[float] = []
    assert await wanted_of(12, watched=True, asked=asked) == 12
    assert len(asked) == 1


async def test_what_nobody_watches_is_told_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:  # A3
    monkeypatch.setattr(answer, "UNWATCHED_EVERY_S", 3600.0)
    assert await wanted_of(12, watched=False, asked=[]) == 0
    # A new watcher may not be known to the wake-up channel yet.
    monkeypatch.setattr(answer, "UNWATCHED_EVERY_S", 0.03)
    assert await wanted_of(12, watched=False, asked=[]) >= 1


async def test_whoever_comes_later_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:  # A3
    monkeypatch.setattr(answer, "UNWATCHED_EVERY_S", 3600.0)
    monkeypatch.setattr(answer, "ASK_EVERY_S", 0.0)
    answers = iter([False, False, True])
    interest = PublishingSchedule(lambda: next(answers))

    assert [await interest.should_publish() for _ in range(3)] == [False, False, True]
