"""The remaining budget of a query."""

import pytest

from domain.query.budget import CEILING, DEADLINE, NO_CALL, NO_REPAIR, NO_ROUND, Budget


def test_without_limits_nothing_is_ever_used_up() -> None:  # A7
    budget = Budget(1e9, None, 1e9, None)
    assert not budget.has_used(NO_ROUND)
    assert budget.left_s is None


@pytest.mark.parametrize(
    ("used_s", "left_out"),
    [(69.9, []), (70.0, [NO_ROUND]), (85.0, [NO_ROUND, NO_REPAIR]), (100.0, [NO_ROUND, NO_REPAIR, NO_CALL])],
)
def test_less_and_less_is_begun_as_time_runs_out(used_s: float, left_out: list[float]) -> None:  # A7
    budget = Budget(used_s, 100.0)
    assert [share for share in (NO_ROUND, NO_REPAIR, NO_CALL) if budget.has_used(share)] == left_out


def test_money_counts_as_time_does_and_the_reason_says_which() -> None:  # A7
    late, dear = Budget(101, 100, 0.01, 0.02), Budget(10, 100, 0.03, 0.02)
    assert (late.code, late.reason) == (DEADLINE, "the query's deadline passed")
    assert (dear.code, dear.reason) == (CEILING, "the query's cost ceiling was reached")
    assert Budget(10, 100, 0.015, 0.02).reason == "75% of the query's cost ceiling was spent"
    assert Budget(80, 100).reason == "80% of the query's time was used"
