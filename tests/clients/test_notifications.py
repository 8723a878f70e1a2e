"""The wake-up channel: all waiting clients hear of ends, watchers of progress, and a failure only slows them (A3,
A5)."""

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager

import pytest

from clients.notifications import Notifier, Subscriber, Subscriptions

LONG_S = 20.0


@pytest.fixture
def notifier(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Notifier:
    # One that Redis has kept waiting on a busy machine would be silent for a while.
    monkeypatch.setattr("clients.notifications.PUBLISH_TIMEOUT_S", 10.0)
    return Notifier(redis_url)


async def none_ended(_: Collection[uuid.UUID]) -> tuple[()]:
    return ()


@asynccontextmanager
async def subscribed_on(url: str, query_id: uuid.UUID, *, watching: bool) -> AsyncGenerator[Subscriber]:
    """A subscriber that polls only every minute, with its connection established."""
    subscriptions = Subscriptions(url, none_ended, poll_every_s=60, poll_offline_every_s=0.01)
    async with subscriptions.subscribed(query_id, watching=watching) as subscriber:
        async with asyncio.timeout(LONG_S):
            # As long as it is deaf it looks a hundred times in a second; on a busy machine a few looks may be late.
            while await is_woken(subscriber, 0.5):
                pass
        yield subscriber


async def is_woken(subscriber: Subscriber, within_s: float) -> bool:
    began = time.monotonic()
    await subscriber.woken(within_s)
    return time.monotonic() - began < within_s


async def test_an_end_is_heard_by_those_who_wait_and_by_those_who_watch(
    redis_url: str, notifier: Notifier
) -> None:  # A3
    query_id = uuid.uuid4()
    for watching in (False, True):
        async with subscribed_on(redis_url, query_id, watching=watching) as subscriber:
            await asyncio.to_thread(notifier.notify_end, query_id)
            assert await is_woken(subscriber, LONG_S)


async def test_progress_is_heard_by_those_who_watch_and_wakes_nobody_else(
    redis_url: str, notifier: Notifier
) -> None:  # A3
    query_id = uuid.uuid4()
    async with subscribed_on(redis_url, query_id, watching=True) as watcher:
        async with subscribed_on(redis_url, query_id, watching=False) as waiter:
            await asyncio.to_thread(notifier.notify_watchers, query_id)
            assert await is_woken(watcher, LONG_S)
            assert not await is_woken(waiter, 0.3)
        await asyncio.to_thread(notifier.notify_watchers, uuid.uuid4())
        assert not await is_woken(watcher, 0.3)


async def test_a_ring_during_a_look_at_the_database_is_not_missed(redis_url: str, notifier: Notifier) -> None:  # A3
    query_id = uuid.uuid4()
    async with subscribed_on(redis_url, query_id, watching=False) as subscriber:
        await asyncio.to_thread(notifier.notify_end, query_id)
        await asyncio.sleep(0.3)
        assert await is_woken(subscriber, LONG_S)
        assert not await is_woken(subscriber, 0.1)


async def test_whether_somebody_watches_is_known(redis_url: str, notifier: Notifier) -> None:  # A3
    query_id = uuid.uuid4()
    subscriptions = Subscriptions(redis_url, none_ended)
    assert not notifier.is_watched(query_id)
    async with subscriptions.subscribed(query_id, watching=True), subscriptions.subscribed(query_id, watching=True):
        await until_watched(notifier, query_id, True)
    await until_watched(notifier, query_id, False)
    async with subscribed_on(redis_url, query_id, watching=False):
        assert not notifier.is_watched(query_id)


async def until_watched(notifier: Notifier, query_id: uuid.UUID, wanted: bool) -> None:
    deadline = time.monotonic() + LONG_S
    while await asyncio.to_thread(notifier.is_watched, query_id) is not wanted:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


async def test_without_a_server_one_looks_often_and_takes_every_query_for_watched() -> None:  # A5
    nowhere = "redis://127.0.0.1:1/0"
    assert Notifier(nowhere).is_watched(uuid.uuid4())
    async with Subscriptions(nowhere, none_ended, poll_every_s=60, poll_offline_every_s=0.01).subscribed(
        uuid.uuid4(), watching=True
    ) as subscriber:
        assert await is_woken(subscriber, LONG_S)


async def test_who_waits_is_told_of_an_end_that_redis_has_lost_and_of_a_database_that_is_away(
    redis_url: str,
) -> None:  # A3
    running, lost = uuid.uuid4(), uuid.uuid4()
    asked: list[set[uuid.UUID]] = []

    async def ended(query_ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
        asked.append({*query_ids})
        if len(asked) > 2:
            raise OSError
        return {lost}

    subscriptions = Subscriptions(redis_url, ended, poll_every_s=0.2)
    async with (
        subscriptions.subscribed(running) as waiter,
        subscriptions.subscribed(lost) as told,
        subscriptions.subscribed(uuid.uuid4(), watching=True),
    ):
        while not await told.woken(LONG_S):
            pass
        # One look is for all that wait for an end; who watches looks itself.
        assert asked[0] == {running, lost}
        while not await waiter.woken(LONG_S):
            pass
        assert len(asked) > 2


def test_one_process_takes_the_turn_of_a_job_and_every_process_if_nobody_can_tell(
    redis_url: str, notifier: Notifier
) -> None:  # A5
    job, other = str(uuid.uuid4()), Notifier(redis_url)
    assert [asked.takes_turn(job, 600.0) for asked in (notifier, other, notifier)] == [True, False, False]
    assert other.takes_turn(str(uuid.uuid4()), 600.0)
    away = Notifier("redis://127.0.0.1:1/0")
    assert [away.takes_turn(job, 600.0), away.takes_turn(job, 600.0)] == [True, True]


def test_a_turn_that_was_taken_comes_again(notifier: Notifier) -> None:  # A5
    job = str(uuid.uuid4())
    assert notifier.takes_turn(job, 0.1)
    deadline = time.monotonic() + LONG_S
    while not notifier.takes_turn(job, 0.1):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_process_that_fails_leaves_the_turn_to_another(redis_url: str, notifier: Notifier) -> None:  # A5
    job, other = str(uuid.uuid4()), Notifier(redis_url)
    assert notifier.takes_turn(job, 600.0)
    notifier.give_turn_up(job)
    assert [other.takes_turn(job, 600.0), notifier.takes_turn(job, 600.0)] == [True, False]
    Notifier("redis://127.0.0.1:1/0").give_turn_up(job)
