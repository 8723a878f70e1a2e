"""The script against the provider's own bookkeeping: it admits nothing that the provider would refuse (A7)."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from clients.limiter.feedback import RateLimitFeedback
from clients.limiter.protocol import LimiterTerms
from clients.limiter.request import Ticket
from clients.llm.protocol import Allowance
from tests.clients.limiter.stage import account, known_account, ticket
from tests.simulators.groq.limits import Limits, Meter

# The events: time passes, tokens are requested, or a call ends that used a share of its reservation.
_PASS = st.tuples(st.just("pass"), st.floats(0.0, 40.0))
_ASK = st.tuples(st.just("ask"), st.integers(1, 700))
_END = st.tuples(st.just("end"), st.floats(0.0, 1.2))
_STORY = st.lists(st.one_of(_PASS, _ASK, _ASK, _END), min_size=5, max_size=25)


# A7
@given(story=_STORY)
@hypothesis_settings(max_examples=25)
@pytest.mark.slow
async def test_what_is_let_through_the_provider_lets_through(redis_url: str, story: list[tuple[str, float]]) -> None:
    open_: list[Ticket] = []
    admitted = 0
    async with account(redis_url, rpm=4, rpd=3_000, tpm=1_000, tpd=200_000) as turned:
        meter = Meter("org", "m", Limits(rpm=4, rpd=3_000, tpm=1_000, tpd=200_000), clock=lambda: turned.now)
        await turned.known()
        turned.turn(61)
        for what, amount in story:
            if what == "pass":
                turned.turn(amount)
            elif what == "ask":
                asked = ticket(int(amount))
                if (await turned.take(asked, 0)).granted:
                    meter.admit(asked.tokens)  # raises when it is over any limit
                    open_.append(asked)
                    admitted += 1
            elif open_:
                ended = open_.pop(0)
                used = int(ended.tokens * amount)
                meter.settle(ended.tokens, used)
                await turned.settle(ended, RateLimitFeedback(used, answered=True))
    assert admitted or not any(what == "ask" for what, _ in story)


# A7
@given(steps=st.lists(st.tuples(st.floats(0.0, 20.0), st.integers(1, 400)), min_size=5, max_size=25))
@hypothesis_settings(max_examples=20)
async def test_no_window_has_more_than_the_limit_and_what_drained(
    redis_url: str, steps: list[tuple[float, int]]
) -> None:
    limit, margin = 1_000, 0.1
    admitted: list[tuple[float, int]] = []
    async with known_account(redis_url, settings=LimiterTerms(margin=margin, lease_s=1e6), tpm=limit) as turned:
        for seconds, asked in steps:
            turned.turn(seconds)
            if (await turned.take(ticket(asked), 0)).granted:
                admitted.append((turned.now, asked))
    for first in range(len(admitted)):
        window = admitted[first:]
        for (at, _), total in zip(window, accumulate(tokens for _, tokens in window), strict=True):
            assert total <= limit * (1 - margin) + (at - window[0][0]) * limit / 60 + 0.01


# A7
async def test_a_wait_is_exactly_as_long_as_needed(redis_url: str) -> None:
    async with known_account(redis_url, tpm=1_000) as turned:
        assert (await turned.take(ticket(1_000))).granted
        waiting = ticket(250)
        answer = await turned.take(waiting)
        assert not answer.granted
        turned.turn(14.9)
        assert not (await turned.take(waiting)).granted
        turned.turn(0.11)  # 250 of 1,000 a minute drain in 15 s
        assert (await turned.take(waiting)).granted


# A7
async def test_all_kinds_or_none(redis_url: str) -> None:
    async with known_account(redis_url, rpm=1, tpm=1_000) as turned:
        turned.turn(120)
        assert (await turned.take(ticket(10))).granted
        refused = await turned.take(ticket(10), 0)
        assert not refused.granted
        assert refused.full["rpm"] == 1.0
        assert refused.full["tpm"] == 0.01


# A7
async def test_a_call_over_the_margin_waits_for_empty_buckets(redis_url: str) -> None:
    async with known_account(redis_url, settings=LimiterTerms(margin=0.1), tpm=1_000) as turned:
        assert (await turned.take(ticket(100))).granted
        large = ticket(1_000)
        assert not (await turned.take(large)).granted
        turned.turn(6.01)
        assert (await turned.take(large)).granted


# A7
async def test_a_call_that_can_never_fit_is_left_to_the_server(redis_url: str) -> None:
    async with known_account(redis_url, tpm=1_000) as turned:
        assert (await turned.take(ticket(1_000))).granted
        assert (await turned.take(ticket(1_001), 0)).granted
        assert (await turned.take(ticket(1), 0)).full["tpm"] == 1.0


# A7
async def test_cached_tokens_are_given_back_and_the_rest_is_kept(redis_url: str) -> None:
    async with known_account(redis_url, tpm=1_000) as turned:
        call = ticket(800)
        await turned.take(call)
        assert (await turned.settle(call, RateLimitFeedback(300, answered=True))).full["tpm"] == 0.3
        assert (await turned.settle(call, RateLimitFeedback(0, answered=True))).full["tpm"] == 0.3  # once only


# A7
async def test_the_margin_is_one_of_minutes_and_not_of_days(redis_url: str) -> None:
    async with known_account(redis_url, rpd=1_000) as turned:
        call = ticket(10)
        await turned.take(call)
        told = RateLimitFeedback(10, answered=True, allowance=Allowance(limit_requests=1_000, remaining_requests=0))
        assert (await turned.settle(call, told)).full["rpd"] == 1.0
        assert (await turned.take(ticket(10), 0)).wait <= 86.4
