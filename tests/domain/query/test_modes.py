"""Modes, the evidence gate and the refusal."""

import pytest

from citewell_verify.answers.refusals import IDK, IDK_KOREAN, is_idk
from domain.errors.requests import ModeUnknown
from domain.query.options import Mode, ModeRules, evidence_gate, idk_for, parse_mode, rules_of
from verify_material.rows import for_all_rows


@pytest.mark.parametrize(
    ("mode", "rules"),
    [
        (Mode.LOW, ModeRules(1, verify_answer=False, second_pass_k=5, gates=False)),
        (Mode.BALANCED, ModeRules(2, verify_answer=True, second_pass_k=8, gates=False)),
        (Mode.HIGH, ModeRules(3, verify_answer=True, second_pass_k=10, gates=True)),
    ],
)
def test_modes_have_the_seeds_values(mode: Mode, rules: ModeRules) -> None:  # S3.5
    assert rules_of(mode) == rules


@pytest.mark.parametrize(
    ("value", "mode"), [("low", Mode.LOW), (" High ", Mode.HIGH), ("BALANCED", Mode.BALANCED), (None, Mode.BALANCED)]
)
def test_a_mode_is_known_by_its_name_and_balanced_by_default(value: str | None, mode: Mode) -> None:  # S3.5
    assert parse_mode(value) is mode


@pytest.mark.parametrize("value", ["", "strict", "low high"])
def test_an_unknown_mode_is_refused_with_the_known_ones(value: str) -> None:  # S3.5
    with pytest.raises(ModeUnknown, match="low, balanced, high"):
        parse_mode(value)


@pytest.mark.parametrize("mode", list(Mode))
def test_no_mode_answers_from_nothing(mode: Mode) -> None:  # S2.6
    assert evidence_gate(mode, 0).refuse


@pytest.mark.parametrize(("count", "refuse"), [(1, True), (2, True), (3, False), (9, False)])
def test_high_refuses_below_three_chunks(count: int, refuse: bool) -> None:  # S3.5
    decision = evidence_gate(Mode.HIGH, count)
    assert decision.refuse is refuse
    assert bool(decision.reason) is refuse


def test_thin_evidence_that_is_let_through_is_named() -> None:  # S3.5
    decision = evidence_gate(Mode.BALANCED, 1)
    assert not decision.refuse
    assert decision.reason == "Only 1 relevant passage found; mode balanced asks for 2."


@for_all_rows(
    "answer",
    [
        IDK,
        "I don’t know based on the documents",
        '"I DO NOT KNOW based on the provided documents!" [†1]',
        "I don't know.",
        "해당 정보는 제공된 출처에서 확인되지 않습니다.",
        "해당 정보는 제공된 출처에서 확인되지 않습니다[†1].\n",
    ],
)
def test_a_refusal_is_known_in_every_dress(answer: str) -> None:  # S3.4
    assert is_idk(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I don't know based on the documents. Refunds take 30 days.",
        "I know based on the documents.",
        "해당 정보는 제공된 출처에서 확인됩니다.",
    ],
)
def test_an_answer_that_says_more_is_not_a_refusal(answer: str) -> None:  # S3.4, N4
    assert not is_idk(answer)


def test_a_model_is_told_to_refuse_in_the_language_of_the_question() -> None:  # S5.3
    assert idk_for("When are refunds paid?") == IDK
    assert idk_for("환불은 언제 됩니까?") == IDK_KOREAN
    assert is_idk(IDK_KOREAN)
