"""The order in which waiting calls are admitted (A7)."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from clients.limiter.request import Ticket
from tests.clients.limiter.stage import Turned, known_account, ticket

pytestmark = pytest.mark.slow


async def order(turned: Turned, waiting: dict[str, Ticket]) -> list[str]:
    """Let all ask in the given order, repeatedly as time passes, until all have been admitted."""
    left, gone = dict(waiting), list[str]()
    for _ in range(2_000):
        for name, each in list(left.items()):
            if (await turned.take(each)).granted:
                gone.append(name)
                del left[name]
        if not left:
            return gone
        turned.turn(0.5)
    raise AssertionError(f"never let through: {list(left)}")


@asynccontextmanager
async def full_account(redis_url: str) -> AsyncGenerator[Turned]:
    """An account of 1,000 tokens a minute, all of which are used."""
    async with known_account(redis_url, tpm=1_000) as turned:
        assert (await turned.take(ticket(1_000))).granted
        yield turned


# A7
async def test_interactive_before_batch_and_older_before_newer(redis_url: str) -> None:
    async with full_account(redis_url) as turned:
        waiting = {
            "old batch": ticket(50, 10.0, is_batch=True),
            "new": ticket(50, 30.0),
            "new batch": ticket(50, 20.0, is_batch=True),
            "old": ticket(50, 15.0),
        }
        for each in waiting.values():
            await turned.take(each)
        assert await order(turned, waiting) == ["old", "new", "old batch", "new batch"]


# A7
async def test_a_small_newcomer_does_not_overtake_a_large_call(redis_url: str) -> None:
    async with full_account(redis_url) as turned:
        large = ticket(800, 1.0)
        await turned.take(large)
        turned.turn(2)  # room for the small ones, not for the large one
        waiting = {"small": ticket(10, 2.0), "other": ticket(10, 3.0), "large": large}
        assert await order(turned, waiting) == ["large", "small", "other"]


# A7
async def test_room_for_all_before_one_is_room_to_pass(redis_url: str) -> None:
    async with full_account(redis_url) as turned:
        first, second = ticket(100, 1.0), ticket(100, 2.0)
        await turned.take(first)
        await turned.take(second)
        turned.turn(12.1)  # no call has to wait until the first has asked again
        assert (await turned.take(second)).granted
        assert (await turned.take(first)).granted


# A5, A7
async def test_the_place_of_the_dead_is_given_up(redis_url: str) -> None:
    async with full_account(redis_url) as turned:
        answer = await turned.take(ticket(1_000, 1.0))
        turned.turn(answer.poll + 3.1)
        late = ticket(20, 2.0)
        assert (await turned.take(late)).granted


# A7
async def test_a_deferred_call_keeps_its_place_for_a_while(redis_url: str) -> None:
    async with full_account(redis_url) as turned:
        deferred = await turned.take(ticket(500, 1.0), 5.0)
        assert not deferred.granted
        assert deferred.wait == pytest.approx(30, abs=0.1)
        turned.turn(31)
        assert not (await turned.take(ticket(100, 2.0), 0)).granted  # there is room, but it is kept
        back = ticket(500, 1.0)
        assert (await turned.take(back)).granted  # a call of the same query, in any process
        turned.turn(6.1)
        assert (await turned.take(ticket(100, 2.0), 0)).granted


# A7
async def test_a_kept_place_is_given_up_when_nobody_comes(redis_url: str) -> None:
    async with full_account(redis_url) as turned:
        deferred = await turned.take(ticket(500, 1.0), 5.0)
        turned.turn(deferred.wait + 20.1)
        assert (await turned.take(ticket(800, 2.0), 0)).granted


# A7
async def test_who_has_no_patience_keeps_no_place(redis_url: str) -> None:
    async with full_account(redis_url) as turned:
        assert not (await turned.take(ticket(500, 1.0), 0)).granted
        turned.turn(6.1)
        assert (await turned.take(ticket(100, 2.0), 0)).granted


# A7
async def test_a_long_line_does_not_ask_all_the_time(redis_url: str) -> None:
    async with full_account(redis_url) as turned:
        polls = [(await turned.take(ticket(100, float(at)))).poll for at in range(1, 161)]
    assert sum(1 / poll for poll in polls) < 160  # less than once a second each
