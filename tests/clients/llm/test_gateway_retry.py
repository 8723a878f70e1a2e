"""The retry budget, for any sequence of failures."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.llm.calling.attempt import INVALID_REPLIES_MAX, REJECTIONS_MAX, RetryBudget
from clients.llm.protocol import (
    ModelError,
    ModelGone,
    ModelRateLimited,
    ModelRefused,
    ModelReplyInvalid,
    ModelUnavailable,
)

PASSING = (ModelUnavailable("busy"), ModelRateLimited("slow down", retry_after_s=0.0), ModelReplyInvalid("not JSON"))
FINAL = (ModelGone("shut down"), ModelRefused("wrong key"))


async def spend(budget: RetryBudget, script: list[ModelError]) -> tuple[list[ModelError], ModelError | None]:
    """Run an attempt that fails as scripted and then succeeds: the errors met, and the final one."""
    met: list[ModelError] = []

    async def attempt() -> None:
        if len(met) < len(script):
            met.append(script[len(met)])
            raise met[-1]

    try:
        await budget.run(attempt)
    except ModelError as error:
        return met, error
    return met, None


@given(st.lists(st.sampled_from(PASSING + FINAL), max_size=12), st.integers(1, 6))
def test_it_stops_exactly_when_something_is_used_up(script: list[ModelError], attempts: int) -> None:
    budget = RetryBudget(attempts, deadline_s=60, backoff_s=0)
    met, ended_with = asyncio.run(spend(budget, script))
    tries = [error for error in met if not isinstance(error, ModelRateLimited)]
    invalid = [error for error in met if isinstance(error, ModelReplyInvalid)]
    rejected = len(met) - len(tries)
    used_up = len(tries) == attempts or len(invalid) == INVALID_REPLIES_MAX or rejected == REJECTIONS_MAX
    final = bool(met) and isinstance(met[-1], FINAL_KINDS)
    assert met == script[: len(met)]
    assert (ended_with is not None) == (used_up or final)
    assert ended_with is None or ended_with is met[-1]
    assert budget.tries == len(met) + (ended_with is None)
    assert len(tries) <= attempts
    assert len(invalid) <= INVALID_REPLIES_MAX


FINAL_KINDS = (ModelGone, ModelRefused)


@pytest.mark.parametrize("error", [ModelRateLimited("later", retry_after_s=5), ModelUnavailable("busy")])
async def test_a_pause_that_does_not_fit_is_not_begun(error: ModelError) -> None:
    budget = RetryBudget(attempts=9, deadline_s=0.05, backoff_s=60)
    assert (await asyncio.wait_for(spend(budget, [error] * 99), timeout=30))[1] is error
    assert budget.out_of_time
