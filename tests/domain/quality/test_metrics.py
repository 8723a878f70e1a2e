"""Measures of scores against labels, compared with tables and with the simplest way of computing them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.quality.metrics import (
    balanced_accuracy,
    counted,
    ece,
    false_pass,
    false_strip,
    found,
    mean,
    reciprocal_rank,
    roc_auc,
    support_score,
)
from verify_material.rows import for_all_rows

Pairs = list[tuple[int, float | None]]

# Few different values, so that ties and the edges of bins come up.
scores = st.none() | st.sampled_from([0.0, 0.1, 0.25, 0.5 - 1e-6, 0.5, 0.7, 0.999, 1.0]) | st.floats(0, 1)
pairs_strategy = st.lists(st.tuples(st.integers(0, 1), scores), max_size=40)


def split(pairs: Pairs) -> tuple[list[int], list[float | None]]:
    return [label for label, _ in pairs], [score for _, score in pairs]


@for_all_rows(
    ("supported", "confidence", "score"),
    [(True, 0.9, 0.9), (False, 0.9, 0.1), (True, 0.3, 0.5), (False, 0.3, 0.499999), (False, 0.5, 0.499999)],
)
def test_a_verdict_stays_on_its_side_whatever_its_confidence(supported: bool, confidence: float, score: float) -> None:
    assert support_score(supported=supported, confidence=confidence) == pytest.approx(score)


@for_all_rows(
    ("pairs", "accuracy", "auc", "calibration", "passed", "stripped"),
    [
        ([(1, 0.9), (0, 0.1)], 1.0, 1.0, 0.1, 0.0, 0.0),
        ([(1, 0.1), (0, 0.9)], 0.0, 0.0, 0.9, 1.0, 1.0),
        ([(1, 0.5), (0, 0.5)], 0.5, 0.5, 0.0, 1.0, 0.0),
        ([(1, 0.9), (1, 0.6), (0, 0.6), (0, 0.2)], 0.75, 0.875, 0.125, 0.5, 0.0),
        ([(1, 0.8), (1, 0.3), (0, 0.2), (0, 0.2), (0, 0.2)], 0.75, 1.0, 0.3, 0.0, 0.5),
        # A failed check is an error, but neither a pass nor a strip.
        ([(1, None), (0, None)], 0.0, 0.0, 0.5, 0.0, 0.0),
        ([(1, 0.9), (1, None), (0, 0.1), (0, None)], 0.5, 0.75, 0.3, 0.0, 0.0),
        # With one label only there is no ranking and no balance.
        ([(1, 0.9), (1, 0.4)], None, None, 0.35, None, 0.5),
        ([(0, 0.9)], None, None, 0.9, 1.0, None),
        ([], None, None, None, None, None),
    ],
)
def test_the_measures_of_small_sets_are_known(
    pairs: Pairs,
    accuracy: float | None,
    auc: float | None,
    calibration: float | None,
    passed: float | None,
    stripped: float | None,
) -> None:  # N8
    labels, values = split(pairs)
    expected = (accuracy, auc, calibration, passed, stripped)
    measured = tuple(measure(labels, values) for measure in (balanced_accuracy, roc_auc, ece, false_pass, false_strip))
    assert [value is None for value in measured] == [value is None for value in expected]
    assert [value or 0.0 for value in measured] == pytest.approx([value or 0.0 for value in expected], abs=1e-5)


@given(pairs_strategy)
def test_the_area_under_the_curve_is_the_share_of_ordered_pairs(pairs: Pairs) -> None:  # N8
    supported = [counted(label, score) for label, score in pairs if label]
    others = [counted(label, score) for label, score in pairs if not label]
    duels = [1.0 if high > low else 0.5 if high == low else 0.0 for high in supported for low in others]
    area = roc_auc(*split(pairs))
    assert (area is None) == (not duels)
    if area is not None:
        assert area == pytest.approx(sum(duels) / len(duels))


@given(pairs_strategy)
def test_calibration_compares_each_bin_with_its_share_of_supported_pairs(pairs: Pairs) -> None:  # N8
    total = 0.0
    for low in range(10):
        inside = [(label, counted(label, score)) for label, score in pairs if _bin(counted(label, score)) == low]
        if inside:
            confidence = sum(score for _, score in inside) / len(inside)
            accuracy = sum(label for label, _ in inside) / len(inside)
            total += len(inside) / len(pairs) * abs(confidence - accuracy)
    assert (ece(*split(pairs)) or 0.0) == pytest.approx(total, abs=1e-9)


def _bin(score: float) -> int:
    return 9 if score == 1 else math.floor(score * 10)


@given(pairs_strategy)
def test_what_was_checked_is_right_or_passed_or_stripped(pairs: Pairs) -> None:  # N8
    labels, values = split([(label, score) for label, score in pairs if score is not None])
    accuracy, passed, stripped = (measure(labels, values) for measure in (balanced_accuracy, false_pass, false_strip))
    if accuracy is not None and passed is not None and stripped is not None:
        assert accuracy == pytest.approx(1 - (passed + stripped) / 2)


@given(pairs_strategy, st.integers(0, 40))
def test_a_failed_check_never_improves_a_measure_of_right_and_wrong(pairs: Pairs, place: int) -> None:  # N8
    if place >= len(pairs):
        return
    failed = [*pairs[:place], (pairs[place][0], None), *pairs[place + 1 :]]
    assert (balanced_accuracy(*split(failed)) or 0.0) <= (balanced_accuracy(*split(pairs)) or 0.0)
    assert (false_pass(*split(failed)) or 0.0) <= (false_pass(*split(pairs)) or 0.0)


@for_all_rows(
    ("sought", "ranked", "at_1", "at_5", "reciprocal"),
    [
        ("a", "abc", True, True, 1.0),
        ("b", "abc", False, True, 0.5),
        ("ca", "abc", True, True, 1.0),
        ("xc", "abc", False, True, 1 / 3),
        ("x", "abc", False, False, 0.0),
        ("f", "abcdef", False, False, 1 / 6),
        ("", "abc", False, False, 0.0),
    ],
)
def test_a_question_is_served_by_the_first_passage_that_answers_it(
    sought: str, ranked: str, at_1: bool, at_5: bool, reciprocal: float
) -> None:  # N8
    assert (found(sought, ranked, 1), found(sought, ranked, 5)) == (at_1, at_5)
    assert reciprocal_rank(sought, ranked) == reciprocal


def test_a_mean_leaves_out_what_is_not_defined() -> None:
    assert mean([0.2, None, 0.4]) == pytest.approx(0.3)
    assert mean([None]) is None
