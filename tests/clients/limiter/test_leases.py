"""Reservations of killed workers are returned (A5, A7)."""

import pytest

from clients.limiter.feedback import RateLimitFeedback
from clients.limiter.protocol import LimiterTerms
from tests.clients.limiter.stage import known_account, ticket

SETTINGS = LimiterTerms(margin=0, lease_s=10)


# A5
async def test_the_lease_of_a_dead_worker_ends_and_gives_back_what_calls_usually_leave(redis_url: str) -> None:
    async with known_account(redis_url, settings=SETTINGS, tpm=10_000) as turned:
        usual = ticket(1_000)
        await turned.take(usual)
        await turned.settle(usual, RateLimitFeedback(400, answered=True))
        turned.turn(61)
        lost = ticket(5_000)
        assert (await turned.take(lost)).full["tpm"] == pytest.approx(0.5)
        turned.turn(9.9)
        before = (await turned.take(ticket(10_000), 0)).full["tpm"]
        turned.turn(0.2)
        after = (await turned.take(ticket(10_000), 0)).full["tpm"]
        drained = 0.2 / 60
        # 60 % of 5,000: a call of this model usually uses 40 %, and the dead one's was probably made.
        assert before - after == pytest.approx(0.3 + drained, abs=0.001)
        # A late caller has nothing to give back.
        assert (await turned.settle(lost, RateLimitFeedback(0, answered=True))).full["tpm"] == pytest.approx(after)


# A7
async def test_an_unknown_outcome_counts_like_the_usual_one(redis_url: str) -> None:
    async with known_account(redis_url, settings=SETTINGS, tpm=10_000) as turned:
        for used in (None, 250, None):
            call = ticket(1_000)
            await turned.take(call)
            answer = await turned.settle(call, RateLimitFeedback(used))
        # Nothing was known of the first, a quarter is usual for the last.
        assert answer.full["tpm"] == pytest.approx(0.1 + 0.025 + 0.025)


# A7
async def test_who_gives_up_leaves_neither_a_place_nor_a_reservation(redis_url: str) -> None:
    async with known_account(redis_url, settings=SETTINGS, tpm=1_000) as turned:
        granted, waiting = ticket(900, 1.0), ticket(900, 2.0)
        assert (await turned.take(granted)).granted
        assert not (await turned.take(waiting)).granted
        await turned.leave(waiting)
        await turned.leave(granted)
        assert (await turned.take(ticket(1_000, 3.0), 0)).granted


# A5
async def test_asking_twice_for_one_call_reserves_once(redis_url: str) -> None:
    async with known_account(redis_url, settings=SETTINGS, tpm=1_000) as turned:
        call = ticket(400)
        assert (await turned.take(call)).granted
        assert (await turned.take(call)).full["tpm"] == pytest.approx(0.4)
