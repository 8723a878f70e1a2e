"""Confidence and its levels (S2.2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.confidence import confidence, level
from domain.verdicts import SentenceStatus

S = SentenceStatus


@pytest.mark.parametrize(
    ("supported", "partial", "unsupported", "expected"),
    [
        (5, 0, 0, 1.0),
        (4, 0, 1, 0.7),
        (4, 1, 0, 0.9),
        (3, 0, 2, 0.4),
        (1, 0, 4, 0.0),
        (0, 2, 0, 0.1),
    ],
)
def test_the_seeds_formula(supported: int, partial: int, unsupported: int, expected: float) -> None:  # S2.2
    states = [S.SUPPORTED] * supported + [S.PARTIAL] * partial + [S.UNSUPPORTED] * unsupported
    assert confidence(states) == pytest.approx(expected)


def test_a_contradiction_counts_as_unsupported() -> None:  # S2.2
    assert confidence([S.SUPPORTED, S.CONTRADICTED]) == confidence([S.SUPPORTED, S.UNSUPPORTED])


def test_what_was_not_checked_earns_no_bonus() -> None:  # N4
    assert confidence([S.SUPPORTED, S.NOT_CHECKED]) == pytest.approx(0.5)


@pytest.mark.parametrize("states", [[], [S.NO_CLAIM, S.NO_CLAIM]])
def test_an_answer_without_claims_has_no_confidence(states: list[SentenceStatus]) -> None:  # S2.6
    assert confidence(states) is None
    assert level(confidence(states)) is None


@given(st.lists(st.sampled_from(list(S)), min_size=1))
def test_confidence_is_within_bounds_and_full_only_without_doubt(states: list[SentenceStatus]) -> None:  # S2.2
    score = confidence(states)
    assert score is None or 0 <= score <= 1
    if S.UNSUPPORTED in states or S.CONTRADICTED in states or S.NOT_CHECKED in states:
        assert score is None or score < 1


@pytest.mark.parametrize(
    ("score", "name"),
    [
        (1.0, "High"),
        (0.9, "High"),
        pytest.param(0.8 + 0.1, "High", id="rounding"),
        (0.89, "Medium"),
        (0.7, "Medium"),
        (0.5, "Low"),
        (0.49, "Very Low"),
    ],
)
def test_levels(score: float, name: str) -> None:  # S2.2
    assert level(score) == name
