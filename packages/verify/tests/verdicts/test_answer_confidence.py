"""The single confidence of an answer, its label, and where its calibration applies (V9)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.text.languages import language_of
from citewell_verify.verdicts.confidence import (
    UNCALIBRATED,
    UNKNOWN_SUPPORT,
    Calibration,
    answer_confidence,
    confidence_label,
    least_high,
    why_uncalibrated,
)
from verify_material.rows import for_all_rows

PROBABILITY = st.floats(0, 1)
SUPPORTS = st.lists(st.none() | PROBABILITY, min_size=1, max_size=8)


def calibration(high: float | None = 0.9, languages: tuple[str, ...] = ("en", "ko")) -> Calibration:
    return Calibration("v", 1.0, 0.0, 0.05, high=high, languages=languages)


@given(SUPPORTS, PROBABILITY)
def test_it_is_a_probability_in_hundredths_and_no_surer_than_the_weakest_statement(
    supports: list[float | None], relevance: float
) -> None:  # V9
    found = answer_confidence(supports, relevance)
    if found is None:
        assert set(supports) == {None}
        return
    assert 0 <= found <= 1
    assert found == round(found, 2)
    assert found <= min(0.5 if each is None else each for each in supports) + 0.005
    assert found <= relevance + 0.005


@given(st.lists(PROBABILITY, min_size=1, max_size=8), PROBABILITY, st.data())
def test_more_support_of_one_statement_or_more_relevance_never_lowers_it(
    supports: list[float], relevance: float, data: st.DataObject
) -> None:  # V9
    before = answer_confidence(supports, relevance)
    place = data.draw(st.integers(0, len(supports) - 1))
    better = [*supports[:place], data.draw(st.floats(supports[place], 1)), *supports[place + 1 :]]
    after = answer_confidence(better, data.draw(st.floats(relevance, 1)))
    assert before is not None
    assert after is not None
    assert after >= before


@given(st.lists(PROBABILITY, min_size=1, max_size=5))
def test_a_statement_that_was_not_checked_leaves_the_answer_at_most_an_even_chance(supports: list[float]) -> None:  # N4
    found = answer_confidence([*supports, None], 1.0)
    assert found is not None
    assert found <= UNKNOWN_SUPPORT


@pytest.mark.parametrize("supports", [[], [None], [None, None]])
def test_where_nothing_was_claimed_or_checked_there_is_none(supports: list[float | None]) -> None:  # S2.6, N4
    assert answer_confidence(supports, 1.0) is None
    assert confidence_label(None, calibration()) is None


@for_all_rows(
    ("confidence", "high", "label"),
    [
        (0.95, 0.9, "High"),
        (0.9, 0.9, "High"),
        (0.93, 0.95, "Medium"),
        (1.0, None, "Medium"),
        (0.89, 0.9, "Medium"),
        (0.7, 0.9, "Medium"),
        (0.69, 0.9, "Low"),
        (0.49, 0.9, "Very Low"),
    ],
)
def test_high_is_said_only_from_where_nine_of_ten_unseen_answers_were_right(
    confidence: float, high: float | None, label: str
) -> None:  # V9
    assert confidence_label(confidence, calibration(high)) == label


def test_without_a_calibration_that_holds_the_word_is_uncalibrated() -> None:  # V9
    assert confidence_label(1.0, None) == UNCALIBRATED
    assert confidence_label(1.0, calibration(), "another language") == UNCALIBRATED


@for_all_rows(
    ("answer", "language"),
    [
        ("The office opens at eight.", "en"),
        ("Revenue: $5 million", "en"),
        ("42", "en"),
        ("사무실은 오전 8시에 문을 연다.", "ko"),
        ("IT서비스 API는 JSON을 쓴다.", "ko"),
        ("Das Büro ist ab acht Uhr geöffnet.", "de"),
        ("Le bureau est ouvert de huit heures à midi.", "fr"),
        ("Офис открыт с восьми часов.", "ru"),
        ("事務所は八時に開きます。", "ja"),
        ("يفتح المكتب في الثامنة.", "ar"),
    ],
)
def test_the_language_of_an_answer_decides_whether_the_calibration_holds(answer: str, language: str) -> None:  # V9
    assert language_of(answer) == language
    assert (why_uncalibrated(answer, calibration()) is None) == (language in ("en", "ko"))
    assert why_uncalibrated(answer, calibration(languages=())) is None


def test_the_reason_names_both_languages() -> None:  # V9
    reason = why_uncalibrated("사무실은 8시에 문을 연다.", calibration(languages=("en",)))
    assert reason == "The calibration was measured on texts in English; this answer is in Korean."


@given(st.lists(st.tuples(PROBABILITY, st.booleans()), max_size=80))
def test_from_the_least_high_on_nine_of_ten_were_right(judged: list[tuple[float, bool]]) -> None:  # V9
    least = least_high(judged)
    if least is not None:
        found = [right for confidence, right in judged if round(confidence, 2) >= least]
        assert least >= 0.9
        assert len(found) >= 30
        assert sum(found) >= 0.9 * len(found)


def test_the_least_high_is_found_between_right_and_wrong_answers() -> None:  # V9
    wrong_below = [(0.92, False)] * 20 + [(0.96, True)] * 50
    assert least_high(wrong_below) == pytest.approx(0.93)
    assert least_high([(0.99, True)] * 29) is None
    assert least_high([(0.99, False)] * 50) is None


def test_a_question_in_a_language_without_measured_relevance_is_uncalibrated() -> None:  # V9
    answer = "사무실은 8시에 문을 연다."
    known = calibration(languages=("en", "ko"))
    reason = why_uncalibrated(answer, known, "사무실은 언제 여나요?", ["en"])
    assert reason == (
        "How well an answer fits its question was measured on questions in English; this one is in Korean."
    )
    assert why_uncalibrated(answer, known, "사무실은 언제 여나요?", ["en", "ko"]) is None
    assert why_uncalibrated(answer, known, "", ["en"]) is None
    assert why_uncalibrated("The office opens at 8.", known, "When does it open?", ["en"]) is None
    assert confidence_label(0.95, known, reason) == UNCALIBRATED
