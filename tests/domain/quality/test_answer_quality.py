"""Metrics over stored records: the seeds' definitions and targets (S2.7, S3.7)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.verdicts.states import SentenceStatus, Verdict
from domain.quality.answer_quality import (
    CONFIDENCE_TARGET,
    HALLUCINATION_TARGET,
    SUCCESS_TARGET,
    TRIGGER_TARGET,
    AnswerabilityCheck,
    Correction,
    Metric,
    RatedAnswer,
    Reranking,
    Target,
    citation_accuracy,
    cited_claims,
    confidence_accuracy,
    false_negative_rate,
    false_positive_rate,
    hallucination_rate,
    rejection_rate,
    score_gain,
    selection_rate,
    success_rate,
    trigger_rate,
    unsupported_claim_rate,
)
from verify_material.rows import for_all_rows

S = SentenceStatus
unit = st.floats(0, 1)
scores = st.lists(st.none() | unit, max_size=6).map(tuple)
states = st.lists(st.sampled_from(S), max_size=6)
CHECKS = [AnswerabilityCheck(supported, truth) for supported in (True, False, None) for truth in (True, False, None)]


def test_nothing_to_divide_by_gives_no_value() -> None:  # S2.7, S3.7
    empty = [
        *(score_gain([]), selection_rate([]), rejection_rate([]), false_positive_rate([]), false_negative_rate([])),
        *(citation_accuracy([]), cited_claims([]), hallucination_rate([]), unsupported_claim_rate([])),
        *(confidence_accuracy([]), trigger_rate([]), success_rate([])),
    ]
    assert {(metric.value, metric.count, metric.met) for metric in empty} == {(None, 0, None)}


@pytest.mark.parametrize(
    ("target", "limit", "wanted"),
    [
        (HALLUCINATION_TARGET, 0.05, "below"),
        (CONFIDENCE_TARGET, 0.8, "above"),
        (TRIGGER_TARGET, 0.2, "below"),
        (SUCCESS_TARGET, 0.7, "above"),
    ],
)
def test_targets_are_the_seeds_and_their_limits_do_not_meet_them(
    target: Target, limit: float, wanted: str
) -> None:  # S2.7
    assert (target.limit, target.wanted) == (limit, wanted)
    met = [target.met_by(limit - 0.01), target.met_by(limit), target.met_by(limit + 0.01)]
    assert met == [wanted == "below", False, wanted == "above"]


def test_the_gain_is_the_mean_of_the_selected_minus_that_of_the_retrieved() -> None:  # S3.7
    larger = Reranking(retrieved=(0.9, 0.7, 0.1, 0.3), selected=(0.9, 0.7))  # 0.8 - 0.5
    smaller = Reranking(retrieved=(0.2, 0.4), selected=(0.4,))  # 0.4 - 0.3
    assert score_gain([larger, smaller]).value == pytest.approx(0.2)


def test_unreadable_scores_are_left_out_of_the_gain() -> None:  # S3.7
    queries = [Reranking((0.9, None, 0.5), (None, 0.9)), Reranking((None,), (None,)), Reranking((0.5,), ())]
    gain = score_gain(queries)
    assert (gain.value, gain.count) == (pytest.approx(0.2), 1)


def test_the_selection_rate_is_what_was_kept_of_what_was_retrieved() -> None:  # S3.7
    queries = [Reranking((0.5,) * 10, (0.5,) * 3), Reranking((None,) * 10, (None,) * 2), Reranking((), ())]
    assert selection_rate(queries) == Metric(0.25, 20)


def test_the_rejection_rate_leaves_out_what_was_not_checked() -> None:  # S3.7, N4
    assert rejection_rate(CHECKS) == Metric(0.5, 6)


@for_all_rows(
    ("supported", "truth", "false_positive", "false_negative"),
    [
        (True, False, 1.0, None),
        (False, False, 0.0, None),
        (True, True, None, 0.0),
        (False, True, None, 1.0),
        (True, None, None, None),
        (None, True, None, None),
        (None, False, None, None),
    ],
)
def test_letting_through_is_the_false_positive_and_rejecting_the_false_negative(
    supported: bool | None, truth: bool | None, false_positive: float | None, false_negative: float | None
) -> None:  # S3.7
    check = AnswerabilityCheck(supported, truth)
    assert false_positive_rate([check]).value == false_positive
    assert false_negative_rate([check]).value == false_negative


def test_citation_accuracy_is_accurate_over_checked() -> None:  # S3.7
    verdicts = [Verdict.ACCURATE, Verdict.ACCURATE, Verdict.INACCURATE, Verdict.UNCERTAIN, None]
    assert citation_accuracy(verdicts) == Metric(0.5, 4)


def test_citation_coverage_is_cited_claims_over_claims() -> None:  # S3.7
    assert cited_claims([True, True, False, True]) == Metric(0.75, 4)


@for_all_rows(
    ("answer", "hallucinated"),
    [
        ([S.SUPPORTED, S.UNSUPPORTED], 1.0),
        ([S.CONTRADICTED, S.NOT_CHECKED], 1.0),
        ([S.SUPPORTED, S.PARTIAL, S.NO_CLAIM], 0.0),
        ([S.SUPPORTED, S.NOT_CHECKED], None),
        ([S.NO_CLAIM], None),
        ([], None),
    ],
)
def test_one_unsupported_claim_makes_an_answer_a_hallucination(
    answer: list[SentenceStatus], hallucinated: float | None
) -> None:  # S2.7, N4
    assert hallucination_rate([answer]).value == hallucinated


@pytest.mark.parametrize(("bad", "good", "met"), [(4, 96, True), (5, 95, False), (6, 94, False)])
def test_the_hallucination_rate_has_to_stay_below_five_percent(bad: int, good: int, met: bool) -> None:  # S2.7
    rate = hallucination_rate([[S.UNSUPPORTED]] * bad + [[S.SUPPORTED]] * good)
    assert rate == Metric(bad / 100, 100, HALLUCINATION_TARGET, met)


def test_the_claim_rate_counts_checked_claims_only() -> None:  # S2.7
    answers = [[S.SUPPORTED, S.UNSUPPORTED, S.NO_CLAIM], [S.CONTRADICTED, S.PARTIAL, S.NOT_CHECKED]]
    assert unsupported_claim_rate(answers) == Metric(0.5, 4)


@for_all_rows(
    ("confidence", "grounded", "value"),
    [(0.7, True, 1.0), (0.7, False, 0.0), (0.69, False, 1.0), (0.69, True, 0.0), (None, True, None)],
)
def test_confidence_is_right_when_it_agrees_with_people(
    confidence: float | None, grounded: bool, value: float | None
) -> None:  # S2.7
    assert confidence_accuracy([RatedAnswer(confidence, grounded)]).value == value


def test_the_threshold_of_confidence_is_the_callers_choice() -> None:  # S2.7
    assert confidence_accuracy([RatedAnswer(0.7, truly_grounded=False)], threshold=0.8).value == 1.0


@pytest.mark.parametrize(("right", "met"), [(80, False), (81, True)])
def test_confidence_has_to_be_right_above_eighty_percent(right: int, met: bool) -> None:  # S2.7
    answers = [RatedAnswer(0.9, n < right) for n in range(100)]
    assert confidence_accuracy(answers) == Metric(right / 100, 100, CONFIDENCE_TARGET, met)


@pytest.mark.parametrize(("triggered", "met"), [(19, True), (20, False)])
def test_correction_has_to_start_for_less_than_a_fifth(triggered: int, met: bool) -> None:  # S2.7
    queries = [Correction(int(n < triggered), 0.5, 0.5) for n in range(100)]
    assert trigger_rate(queries) == Metric(triggered / 100, 100, TRIGGER_TARGET, met)


@pytest.mark.parametrize(
    ("first", "kept", "value"),
    [(0.5, 0.6, 1.0), (0.5, 0.5, 0.0), (None, 0.9, 0.0), (0.1, None, 0.0)],
)
def test_correction_succeeds_when_confidence_rose(
    first: float | None, kept: float | None, value: float
) -> None:  # S2.7
    assert success_rate([Correction(1, first, kept), Correction(0, 0.9, 0.9)]) == Metric(
        value, 1, SUCCESS_TARGET, value > 0.7
    )


@pytest.mark.parametrize(("better", "met"), [(70, False), (71, True)])
def test_correction_has_to_succeed_above_seventy_percent(better: int, met: bool) -> None:  # S2.7
    queries = [Correction(2, 0.4, 0.8 if n < better else 0.4) for n in range(100)]
    assert success_rate(queries) == Metric(better / 100, 100, SUCCESS_TARGET, met)


def test_a_metric_is_written_as_json() -> None:  # S2.7
    written = json.dumps(hallucination_rate([[S.SUPPORTED]]).as_json())
    assert json.loads(written) == {
        "value": 0.0,
        "count": 1,
        "target": {"wanted": "below", "limit": 0.05},
        "met": True,
        "copied": 0,
    }


@given(st.lists(st.builds(Reranking, scores, scores), max_size=6))
def test_a_gain_lies_between_minus_one_and_one(queries: list[Reranking]) -> None:  # S3.7
    gain = score_gain(queries)
    assert gain.value is None or -1 <= gain.value <= 1
    assert (gain.value is None) == (gain.count == 0)


@given(st.lists(states, max_size=8))
def test_rates_are_shares_and_know_whether_they_meet_their_target(answers: list[list[SentenceStatus]]) -> None:  # S2.7
    by_answer, by_claim = hallucination_rate(answers), unsupported_claim_rate(answers)
    for metric in (by_answer, by_claim):
        assert (metric.value is None) == (metric.count == 0)
        assert metric.value is None or 0 <= metric.value <= 1
    assert by_answer.met == (None if by_answer.value is None else by_answer.value < 0.05)
    assert bool(by_answer.value) == bool(by_claim.value)


@given(st.permutations(CHECKS))
def test_the_order_of_records_does_not_matter(checks: list[AnswerabilityCheck]) -> None:  # S3.7
    for metric in (rejection_rate, false_positive_rate, false_negative_rate):
        assert metric(checks) == metric(CHECKS)
