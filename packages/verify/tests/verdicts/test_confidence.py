"""Confidence and its levels (S2.2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.answers.statements import plan_checks, statements
from citewell_verify.verdicts.confidence import confidence, confidence_of, level
from citewell_verify.verdicts.states import SentenceStatus, sentence_status
from verify_material.rows import for_all_rows

S = SentenceStatus


@for_all_rows(
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
        (0.69, "Low"),
        (0.5, "Low"),
        (0.49, "Very Low"),
        (0.0, "Very Low"),
    ],
)
def test_levels(score: float, name: str) -> None:  # S2.2
    assert level(score) == name


@for_all_rows(
    ("supported", "unsupported", "total", "expected"),
    [
        (5, 0, 5, 1.0),  # 1.1, held at 1
        (8, 0, 10, 0.9),
        (7, 0, 10, 0.8),
        (6, 0, 10, 0.7),
        (4, 1, 5, 0.7),
        (18, 2, 20, 0.7),
        (1, 1, 2, 0.4),
        (0, 0, 3, 0.1),
        (1, 2, 10, 0.0),  # -0.1, held at 0
        (0, 9, 9, 0.0),
    ],
)
def test_the_formula_meets_tenths_exactly(
    supported: int, unsupported: int, total: int, expected: float
) -> None:  # S2.2
    assert confidence_of(supported, unsupported, total) == expected


counts = st.integers(0, 50)


@given(counts, counts, counts, st.booleans())
def test_more_support_never_lowers_confidence_and_more_doubt_never_raises_it(
    supported: int, partial: int, unsupported: int, certain: bool
) -> None:  # S2.2
    total = supported + partial + unsupported + 1
    score = confidence_of(supported, unsupported, total, certain=certain)
    better = confidence_of(supported + 1, unsupported, total, certain=certain)
    worse = confidence_of(supported, unsupported + 1, total, certain=certain)
    assert worse is not None
    assert score is not None
    assert better is not None
    assert 0 <= worse <= score <= better <= 1


def test_an_answer_to_an_empty_context_has_no_confidence_at_all() -> None:  # S2.6
    answer = "Refunds take 30 days [1]. They are free."
    assert plan_checks(answer, sources=0) == []
    states = [sentence_status(each.claim, []) for each in statements(answer)]
    assert (confidence(states), level(confidence(states))) == (0.0, "Very Low")


@for_all_rows("answer", ["", "  \n", "## Summary", "What do you mean?", "I don't know.", "In summary:"])
def test_an_answer_that_claims_nothing_has_neither_confidence_nor_level(answer: str) -> None:  # S2.6
    states = [sentence_status(each.claim, []) for each in statements(answer)]
    assert confidence(states) is level(confidence(states)) is None


def test_an_opinion_counts_as_a_claim_that_needs_a_source() -> None:  # S2.6
    said = statements("In my opinion, Norvex is the best supplier. Everybody should buy from them!")
    assert [each.claim for each in said] == [True, True]
    assert confidence([sentence_status(each.claim, []) for each in said]) == 0.0


@pytest.mark.timeout(60)  # hours, if time grew with the square of the length
def test_a_very_long_answer_is_rated_like_a_short_one() -> None:  # S2.6
    said = statements("Refunds take 30 days [1]. " * 10_000)
    assert len(said) == 10_000
    states = [S.SUPPORTED if each.numbers else S.UNSUPPORTED for each in said]
    assert confidence(states) == confidence(states[:1]) == 1.0
    assert confidence([*states, S.UNSUPPORTED]) == pytest.approx(0.9, abs=1e-3)
