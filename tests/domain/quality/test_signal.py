"""The signal of an answer: its word, colour, number and reason agree in every combination (V10)."""

import json
from functools import cache
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any, get_args

import pytest

from citewell_verify.question.relevance import SURELY_ANSWERED
from citewell_verify.verdicts.states import SentenceStatus
from domain.quality.signal import GREEN_FROM, KOREAN, NO_MODEL, Level, Signal, Word, Wording, signal_in, signal_of

_STATES = [
    list(states)
    for length in (0, 1, 2, 3)
    for states in combinations_with_replacement([status.value for status in SentenceStatus], length)
]
_JUST_BELOW = round(GREEN_FROM - 0.01, 2)
_CONFIDENCES = (None, 0.0, 0.31, 0.5, 0.74, _JUST_BELOW, GREEN_FROM, 1.0)
_QUESTIONS: tuple[dict[str, Any] | None, ...] = (
    None,
    *(
        {"relevant": relevant, "complete": complete, "probability": probability}
        for relevant, complete, probability in product(
            ("yes", "partly", "no"), (True, False), (0.0, 0.05, 0.5, SURELY_ANSWERED, 1.0)
        )
    ),
)
_COLOURS: dict[str, Level] = {
    "Supported": "green",
    "Quoted exactly": "green",
    "Copied from the documents": "green",
    "Supported; may not be what you asked": "amber",
    "Supported; may not answer all of the question": "amber",
    "Probably supported": "amber",
    "Quoted exactly; may not be what you asked": "amber",
    "Copied from the documents; may not be what you asked": "amber",
    "Partly supported": "amber",
    "Not proven": "red",
    "Not checked": "grey",
    "Nothing claimed": "grey",
    "Not answered": "grey",
}


@cache
def every_case() -> frozenset[Signal]:
    """The signals of all combinations: made once, and not where the tests are only collected."""
    combinations = product(
        [None, *_STATES], _CONFIDENCES, _QUESTIONS, (True, False), (True, False), get_args(Wording), (True, False)
    )
    return frozenset(
        signal_of(states, confidence, question, is_asked=asked, is_measured=measured, wording=wording, abstained=none)
        for states, confidence, question, asked, measured, wording, none in combinations
    )


def judged(
    states: list[str] | None,
    confidence: float | None = 0.95,
    relevant: str = "yes",
    probability: float = 1.0,
    **changed: Any,
) -> Signal:
    given: dict[str, Any] = {"is_asked": True, "is_measured": True, "wording": "written", "abstained": False, **changed}
    question = {"relevant": relevant, "complete": relevant == "yes", "probability": probability}
    return signal_of(states, confidence, question, **given)


def test_each_word_has_one_colour_in_every_combination() -> None:  # V10
    assert {(case.word, case.level) for case in every_case()} == set(_COLOURS.items())
    assert set(_COLOURS) == set(get_args(Word))


def test_the_number_lies_in_the_band_of_the_colour_or_is_not_shown() -> None:  # V10
    for case in every_case():
        if case.level == "green":
            assert case.probability is not None
            assert case.probability >= GREEN_FROM
        elif case.level == "amber":
            assert case.probability is None or case.probability < GREEN_FROM
        else:
            assert case.probability is None


def test_a_reason_belongs_to_one_colour_and_never_claims_more_than_it() -> None:  # V10
    colours = {(case.reason, case.level) for case in every_case()}
    assert len({reason for reason, _ in colours}) == len(colours)
    for reason, level in colours:
        assert ("answers the question" in reason and "whether" not in reason) <= (level == "green")


def test_no_signal_uses_a_word_of_the_seeds_levels() -> None:  # V10
    assert not {
        level for level in ("High", "Medium", "Low", "Uncalibrated") for case in every_case() if level in str(case)
    }


@pytest.mark.parametrize("wording", get_args(Wording))
def test_a_refusal_is_grey_whatever_was_checked_before(wording: Wording) -> None:  # V10
    refused = judged(["supported"], 1.0, wording=wording, abstained=True)
    assert (refused.word, refused.level, refused.probability) == ("Not answered", "grey", None)


def test_the_worst_statement_decides() -> None:  # N4, V10
    assert judged(["supported", "contradicted", "not_checked"]).word == "Not proven"
    assert "contradict" in judged(["supported", "contradicted", "unsupported"]).reason
    assert "contradict" not in judged(["supported", "unsupported"]).reason
    assert judged(["supported", "partial", "not_checked"]).word == "Not checked"
    assert judged(["supported", "partial"], wording="quoted").word == "Partly supported"
    assert judged(["no_claim"]).word == "Nothing claimed"
    assert judged(None).word == judged(["not_checked", "no_claim"]).word == "Not checked"
    assert judged(None).reason == judged(["not_checked", "no_claim"]).reason
    assert judged(["not_checked", "supported"]).reason != judged(None).reason


def test_a_copied_answer_is_green_only_where_nine_of_ten_such_answers_were_right() -> None:  # V8, V10
    right = judged(["supported"], SURELY_ANSWERED, probability=SURELY_ANSWERED, wording="quoted")
    assert (right.word, right.level, right.probability) == ("Quoted exactly", "green", SURELY_ANSWERED)
    doubtful = judged(["supported", "no_claim"], 0.49, probability=0.4956, wording="quoted")
    assert (doubtful.word, doubtful.level) == ("Quoted exactly; may not be what you asked", "amber")
    assert doubtful.probability == 0.49
    assert judged(["supported"], 0.95, is_measured=False, wording="quoted").level == "amber"
    assert judged(["supported"], 0.95, wording="copied").word == "Copied from the documents"


def test_what_a_model_says_of_the_question_is_the_word() -> None:  # V8, V10
    assert judged(["supported"]).word == "Supported"
    assert judged(["supported"], 0.47, "partly", 0.5).word == "Supported; may not answer all of the question"
    assert judged(["supported"], 0.1, "no", 0.1).word == "Supported; may not be what you asked"
    assert judged(["supported"], _JUST_BELOW).word == "Probably supported"


def test_where_nothing_was_asked_only_the_support_counts() -> None:  # N2, V10
    def given(confidence: float) -> Signal:
        return signal_of(
            ["supported"], confidence, None, is_asked=False, is_measured=True, wording="written", abstained=False
        )

    assert given(0.95).word == "Supported"
    assert "question" not in given(0.95).reason
    assert given(_JUST_BELOW).word == "Probably supported"


def test_every_word_and_reason_has_the_same_korean_here_and_on_the_page() -> None:  # S5.3, V10
    page = json.loads(Path("api/dashboard/messages.ko.json").read_text(encoding="utf-8"))
    for case in every_case():
        for text in (case.word, case.reason):
            assert page[text] == KOREAN[text]
    assert page[NO_MODEL] == KOREAN[NO_MODEL]
    said = judged(["supported"]).as_json()
    assert signal_in(said, korean=True)["word"] == KOREAN["Supported"]
    assert signal_in(said, korean=False) == said
