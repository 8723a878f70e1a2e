"""The wake-up channel: all waiting clients hear of ends, watchers of progress, and a failure only slows them (A3,
A5)."""

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from clients.notifications import CHANNEL, Bell, Ear, Ringer

LONG_S = 20.0
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def ringer(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Ringer:
    # One that Redis has kept waiting on a busy machine would be silent for a while.
    monkeypatch.setattr("clients.notifications.RING_TIMEOUT_S", 10.0)
    return Ringer(redis_url)


@asynccontextmanager
async def heard_on(url: str, query_id: uuid.UUID, *, watching: bool) -> AsyncGenerator[Ear]:
    """A subscriber that polls only every minute, with its connection established."""
    bell = Bell(url, look_every_s=60, look_deaf_every_s=0.01)
    async with bell.listening(query_id, watching=watching) as ear:
        async with asyncio.timeout(LONG_S):
            # As long as it is deaf it looks a hundred times in a second; on a busy machine a few looks may be late.
            while await rings(ear, 0.5):
                pass
        yield ear


async def rings(ear: Ear, within_s: float) -> bool:
    began = time.monotonic()
    await ear.rung(within_s)
    return time.monotonic() - began < within_s


async def test_an_end_is_heard_by_those_who_wait_and_by_those_who_watch(redis_url: str, ringer: Ringer) -> None:  # A3
    query_id = uuid.uuid4()
    for watching in (False, True):
        async with heard_on(redis_url, query_id, watching=watching) as ear:
            await asyncio.to_thread(ringer.ring, query_id)
            assert await rings(ear, LONG_S)


async def test_progress_is_heard_by_those_who_watch_and_wakes_nobody_else(redis_url: str, ringer: Ringer) -> None:  # A3
    query_id = uuid.uuid4()
    async with heard_on(redis_url, query_id, watching=True) as watcher:
        async with heard_on(redis_url, query_id, watching=False) as waiter:
            await asyncio.to_thread(ringer.ring_watchers, query_id)
            assert await rings(watcher, LONG_S)
            assert not await rings(waiter, 0.3)
        await asyncio.to_thread(ringer.ring_watchers, uuid.uuid4())
        assert not await rings(watcher, 0.3)


async def test_a_ring_during_a_look_at_the_database_is_not_missed(redis_url: str, ringer: Ringer) -> None:  # A3
    query_id = uuid.uuid4()
    async with heard_on(redis_url, query_id, watching=False) as ear:
        await asyncio.to_thread(ringer.ring, query_id)
        await asyncio.sleep(0.3)
        assert await rings(ear, LONG_S)
        assert not await rings(ear, 0.1)


async def test_whether_somebody_watches_is_known(redis_url: str, ringer: Ringer) -> None:  # A3
    query_id = uuid.uuid4()
    bell = Bell(redis_url)
    assert not ringer.is_watched(query_id)
    async with bell.listening(query_id, watching=True), bell.listening(query_id, watching=True):
        await until_watched(ringer, query_id, True)
    await until_watched(ringer, query_id, False)
    async with heard_on(redis_url, query_id, watching=False):
        assert not ringer.is_watched(query_id)


async def until_watched(ringer: Ringer, query_id: uuid.UUID, wanted: bool) -> None:
    deadline = time.monotonic() + LONG_S
    while await asyncio.to_thread(ringer.is_watched, query_id) is not wanted:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


async def test_programs_of_before_are_heard_and_hear_the_end(redis_url: str, ringer: Ringer) -> None:  # A5
    # They send and expect only the id, on the one channel, for every event.
    query_id = uuid.uuid4()
    async with heard_on(redis_url, query_id, watching=True) as ear:
        await asyncio.to_thread(ringer._redis.publish, CHANNEL, str(query_id))  # pyright: ignore[reportPrivateUsage]
        assert await rings(ear, LONG_S)
    line = ringer._redis.pubsub(ignore_subscribe_messages=True)  # pyright: ignore[reportPrivateUsage]
    line.subscribe(CHANNEL)
    assert line.get_message(timeout=LONG_S) is None
    ringer.ring(query_id)
    assert line.get_message(timeout=LONG_S)["data"] == str(query_id).encode()
    line.close()


async def test_without_a_server_one_looks_often_and_takes_every_query_for_watched() -> None:  # A5
    nowhere = "redis://127.0.0.1:1/0"
    assert Ringer(nowhere).is_watched(uuid.uuid4())
    async with Bell(nowhere, look_every_s=60, look_deaf_every_s=0.01).listening(uuid.uuid4(), watching=True) as ear:
        assert await rings(ear, LONG_S)
