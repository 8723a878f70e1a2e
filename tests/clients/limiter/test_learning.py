"""Learning limits from the server's answers (A7)."""

import pytest

from clients.limiter.feedback import RateLimitFeedback
from clients.llm.protocol import Allowance, ModelRateLimited, ModelRefused, ModelReply, ModelUnavailable, Usage
from tests.clients.limiter.stage import account, known_account, ticket


def told(used: int | None, limit: int, remaining: int) -> RateLimitFeedback:
    return RateLimitFeedback(used, answered=True, allowance=Allowance(limit_tokens=limit, remaining_tokens=remaining))


# A7
async def test_cold_start_sends_one_call_and_holds_the_others(redis_url: str) -> None:
    async with account(redis_url, tpm=1_000) as turned:
        first, second = ticket(100, 1.0), ticket(100, 2.0)
        assert (await turned.take(first)).granted
        held = await turned.take(second)
        assert not held.granted
        assert held.poll < 0.1
        await turned.settle(first, told(100, 1_000, 50))  # another program uses this account, too
        held = await turned.take(second)
        assert not held.granted
        assert held.wait == pytest.approx(3, abs=0.1)


# A7
async def test_a_first_call_that_does_not_answer_is_followed_by_another(redis_url: str) -> None:
    async with account(redis_url, tpm=1_000) as turned:
        lost, second, third = ticket(100, 1.0), ticket(100, 2.0), ticket(100, 3.0)
        await turned.take(lost)
        turned.turn(5.1)
        assert (await turned.take(second)).granted
        assert not (await turned.take(third)).granted
        await turned.settle(second, RateLimitFeedback(0))  # could not be reached
        assert (await turned.take(third)).granted


# A7
async def test_an_emptied_redis_is_a_cold_start(redis_url: str) -> None:
    async with known_account(redis_url, tpm=1_000) as turned:
        on_its_way = ticket(500)
        await turned.take(on_its_way)
        turned.forget()
        assert (await turned.take(ticket(10))).granted
        assert not (await turned.take(ticket(10))).granted
        # An answer to a call from before tells as much as the first one's.
        await turned.settle(on_its_way, told(400, 1_000, 200))
        answer = await turned.take(ticket(150))
        assert answer.granted
        assert answer.full["tpm"] == pytest.approx(0.95)


# A7
@pytest.mark.parametrize("configured", [250_000, 4_000], ids=["lower", "higher"])
async def test_the_real_limit_is_learned_from_the_first_answer(redis_url: str, configured: int) -> None:
    async with account(redis_url, tpm=configured) as turned:
        first = ticket(1_000)
        await turned.take(first)
        answer = await turned.settle(first, told(600, 8_000, 7_000))
        assert answer.limits["tpm"] == 8_000
        assert answer.full["tpm"] == pytest.approx(600 / 8_000)
        assert (await turned.take(ticket(7_400))).granted
        assert not (await turned.take(ticket(1))).granted


# A7
async def test_a_limit_that_nobody_configured_is_learned(redis_url: str) -> None:
    async with account(redis_url) as turned:
        first = ticket(1_000)
        await turned.take(first)
        allowance = Allowance(8_000, 7_000, 1_000, 999)
        answer = await turned.settle(first, RateLimitFeedback(600, answered=True, allowance=allowance))
        assert answer.limits == {"tpm": 8_000, "rpd": 1_000}
        assert answer.full["rpd"] == pytest.approx(0.001)


# A7
async def test_levels_are_corrected_upward_only(redis_url: str) -> None:
    async with known_account(redis_url, tpm=1_000) as turned:
        call = ticket(500)
        await turned.take(call)
        assert (await turned.settle(call, told(500, 1_000, 900))).full["tpm"] == pytest.approx(0.5)
        call = ticket(100)
        await turned.take(call)
        assert (await turned.settle(call, told(100, 1_000, 100))).full["tpm"] == pytest.approx(0.9)


# A7
async def test_what_drained_and_what_others_gave_back_since_the_header_is_taken_into_account(redis_url: str) -> None:
    async with known_account(redis_url, tpm=1_000) as turned:
        slow, quick = ticket(200), ticket(600)
        await turned.take(quick)
        await turned.take(slow)  # the server answers now: 800 of 1,000 are used
        await turned.settle(quick, RateLimitFeedback(100, answered=True))
        turned.turn(6)
        answer = await turned.settle(slow, told(200, 1_000, 200))
        assert answer.full["tpm"] == pytest.approx(0.2)  # 300, less what drained in 6 s


# A7
async def test_a_refusal_fills_the_bucket_and_nothing_is_sent_until_the_server_says_so(redis_url: str) -> None:
    async with known_account(redis_url, tpm=1_000) as turned:
        call = ticket(100)
        await turned.take(call)
        error = ModelRateLimited("HTTP 429: … on tokens per minute (TPM): Limit 800, Used 790, …", retry_after_s=3)
        answer = await turned.settle(call, RateLimitFeedback.from_outcome(error))
        assert answer.limits["tpm"] == 800
        assert answer.full["tpm"] == pytest.approx(790 / 800)
        again = ticket(10)
        held = await turned.take(again)
        assert held.wait == pytest.approx(3, abs=0.01)
        turned.turn(2.9)
        assert not (await turned.take(again)).granted
        turned.turn(0.2)
        assert (await turned.take(again)).granted


# A7
async def test_a_refusal_names_a_limit_that_no_header_tells(redis_url: str) -> None:
    async with known_account(redis_url, rpm=1_000, tpm=1_000) as turned:
        call = ticket(100)
        await turned.take(call)
        error = ModelRateLimited("… on requests per minute (RPM): Limit 30, Used 30, Requested 1.", retry_after_s=2)
        answer = await turned.settle(call, RateLimitFeedback.from_outcome(error))
        assert answer.limits["rpm"] == 30
        assert answer.full["rpm"] == pytest.approx(1.0)
        assert answer.full["tpm"] == 0


# A7
def test_what_outcomes_tell() -> None:
    assert RateLimitFeedback.from_outcome(None) == RateLimitFeedback(None, answered=False)
    reply = ModelReply("x", "m", Usage(prompt_tokens=100, completion_tokens=20, cached_tokens=64), "stop")
    assert RateLimitFeedback.from_outcome(reply) == RateLimitFeedback(56, answered=True)
    assert RateLimitFeedback.from_outcome(ModelUnavailable("never sent")) == RateLimitFeedback(0)
    assert RateLimitFeedback.from_outcome(
        ModelUnavailable("cut", usage=Usage(9, 9, estimated=True))
    ) == RateLimitFeedback(None)
    assert RateLimitFeedback.from_outcome(ModelRefused("wrong", status=400)) == RateLimitFeedback(0, answered=True)
    assert RateLimitFeedback.from_outcome(ModelRateLimited("no reason")) == RateLimitFeedback(
        0, answered=True, refused=1.0
    )


# A7
async def test_an_account_that_was_made_smaller_is_full_not_overfull(redis_url: str) -> None:
    async with known_account(redis_url, tpm=250_000) as turned:
        large, next_ = ticket(200_000), ticket(1_000)
        await turned.take(large)
        await turned.take(next_)
        assert (await turned.settle(next_, told(1_000, 8_000, 0))).full["tpm"] == pytest.approx(1.0)
        turned.turn(61)
        assert (await turned.take(ticket(7_900), 0)).granted


# A7
async def test_a_wait_counts_on_what_calls_usually_give_back(redis_url: str) -> None:
    async with known_account(redis_url, tpm=1_000) as turned:
        usual = ticket(400)
        await turned.take(usual)
        await turned.settle(usual, RateLimitFeedback(100, answered=True))
        turned.turn(61)
        for at in range(10):
            assert (await turned.take(ticket(100, float(at)))).granted
        line = [await turned.take(ticket(100, 20.0 + at)) for at in range(20)]
        # 2,000 tokens would drain in 120 s; but of 3,000 reserved only a quarter is used.
        assert line[0].wait < 0.1
        assert line[-1].wait < 10
