"""The cost of calls."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from clients.llm.calling.request import cost_usd
from clients.llm.protocol import Usage
from config.models import ModelInfo, ModelSettings

CATALOGUE = ModelSettings().catalogue
MAIN, FAST = "openai/gpt-oss-120b", "openai/gpt-oss-20b"
tokens = st.integers(0, 200_000)


def test_a_query_of_twelve_fast_calls_and_one_answer_costs_a_third_of_a_cent() -> None:
    fast = 12 * cost_usd(FAST, Usage(1500, 200), CATALOGUE)
    answer = cost_usd(MAIN, Usage(8000, 800), CATALOGUE)
    assert (fast, answer) == (Decimal("0.00207"), Decimal("0.00168"))


def test_cached_tokens_cost_half_and_reasoning_is_part_of_the_completion() -> None:
    usage = Usage(prompt_tokens=1_000_000, completion_tokens=100, cached_tokens=1_000_000, reasoning_tokens=90)
    assert cost_usd(FAST, usage, CATALOGUE) == Decimal("0.0375") + Decimal("0.00003")


def test_without_a_price_of_their_own_cached_tokens_cost_as_much_as_others() -> None:
    usage, own = Usage(1_000_000, 0, cached_tokens=400_000), {"own": ModelInfo(price_in=0.5, price_out=1.0)}
    assert cost_usd("own", usage, own) == cost_usd("own", Usage(1_000_000, 0), own) == Decimal("0.5")
    free = {"own": ModelInfo(price_in=0.5, price_cached=0.0)}
    assert cost_usd("own", usage, free) == Decimal("0.3")


def test_an_unknown_model_costs_nothing() -> None:
    assert cost_usd("local/llama", Usage(5000, 5000), CATALOGUE) == 0


@given(prompt=tokens, completion=tokens, cached=tokens)
def test_a_cost_is_never_negative_and_never_more_than_without_the_cache(
    prompt: int, completion: int, cached: int
) -> None:
    cost = cost_usd(MAIN, Usage(prompt, completion, cached), CATALOGUE)
    assert 0 <= cost <= cost_usd(MAIN, Usage(prompt, completion), CATALOGUE)
    assert cost == cost.quantize(Decimal("1e-9"))
