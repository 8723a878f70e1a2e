"""A model's yes beside its own words that deny it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.prompting.judgements import Relation, StatementCheck
from citewell_verify.verdicts.self_contradiction import denies_itself
from verify_material.rows import for_all_rows

EVIDENCE = "The Berlin office has 25 employees."


def reply(explanation: str = "", *differences: str, evidence: str = EVIDENCE, accurate: bool = True) -> StatementCheck:
    """A model's reply; a yes by default."""
    relation: Relation = "supports" if accurate else "contradicts"
    return StatementCheck(
        evidence=evidence,
        differences=list(differences),
        explanation=explanation,
        relation=relation,
        is_accurate=accurate,
        confidence=1.0,
    )


@for_all_rows(
    "explanation",
    [
        "The Berlin office has 25 employees, which is different from the statement provided.",
        "The source gives 25 employees instead of 40.",
        "The number does not match the source.",
        "The number doesn't match.",
        "This contradicts the source, which says 25.",
        "The figure of 40 is not mentioned in the source.",
        "The source speaks of Paris rather than Berlin.",
        "There is a mismatch between the two numbers.",
        "The statement is incorrect: it is 25.",
        "The source says the opposite of the statement.",
        "The roles are swapped.",
        "The source does not say who employs them.",
        "출처의 수와 다릅니다.",
        "출처는 40명이 아니라 25명이라고 한다.",
        "진술은 출처와 일치하지 않습니다.",
        "출처에 언급되지 않은 내용이다.",
        "출처와 모순됩니다.",
        "출처에는 25명으로 나와 있어 진술과는 다른 내용입니다.",
    ],
)
def test_a_yes_whose_explanation_denies_it_does_not_count(explanation: str) -> None:  # V4
    assert "explanation denies it" in denies_itself(reply(explanation))


@for_all_rows(
    "explanation",
    [
        "",
        "The source says exactly this.",
        "The source says so directly, which matches the statement.",
        "Nothing in the source contradicts the statement.",
        "The statement does not contradict the source.",
        "There is no mismatch between statement and source.",
        "The source does not say otherwise.",
        "The statement is consistent with the source.",
        "The source says: “Use oil instead of butter.”",
        'The source says "this lamp is not supported".',
        "진술은 출처와 일치합니다.",
        "출처의 내용과 다르지 않습니다.",
        "출처와 모순되지 않습니다.",
        "출처와 다른 점이 없습니다.",
        "상반기 매출이 출처에 그대로 있다.",
    ],
)
def test_a_yes_whose_explanation_agrees_stands(explanation: str) -> None:  # V1
    assert denies_itself(reply(explanation)) == ""


@pytest.mark.parametrize(
    ("evidence", "explanation"),
    [
        ("Use oil instead of butter.", "The source says to use oil instead of butter, as the statement does."),
        ("The lamp isn't supported by version 2.", "The source says that the lamp is not supported."),
        ("The contract does not mention a fee.", "The source says that the contract doesn't mention a fee."),
        ("버터 대신 기름을 쓴다.", "출처는 버터 대신 기름을 쓰라고 한다."),
    ],
)
def test_what_the_source_itself_says_denies_nothing(evidence: str, explanation: str) -> None:  # V1
    assert denies_itself(reply(explanation, evidence=evidence)) == ""


@for_all_rows(
    "difference",
    [
        "40 employees are those of Paris",
        "25, not 40",
        "the statement adds a year",
        "the statement says 40",
        "수가 다름",
        "25명과 40명",
    ],
)
def test_a_yes_beside_a_difference_does_not_count(difference: str) -> None:  # V4
    assert difference in denies_itself(reply("The source says so.", "None", difference))


@for_all_rows(
    "nothing",
    [
        *("", " ", "None", "none.", "N/A", "No difference", "No significant differences.", "There are no differences."),
        *("<a difference>", "<none>"),
        *("-", "nothing", "없음", "없습니다.", "차이 없음", "차이점이 없습니다", "동일함", "해당 없음"),
    ],
)
def test_words_for_no_difference_are_none(nothing: str) -> None:  # V1
    assert denies_itself(reply("The source says so.", nothing)) == ""


def test_a_difference_that_only_says_the_statement_again_is_none() -> None:  # V1
    statement = "The Paris office has 40 employees [1]."
    assert denies_itself(reply("The source says so.", "the Paris office has 40 employees"), statement) == ""
    assert "40 employees" in denies_itself(reply("The source says so.", "40 employees"), statement)


@given(st.text(max_size=200), st.lists(st.text(max_size=50), max_size=3), st.text(max_size=200))
def test_a_no_is_never_touched(explanation: str, differences: list[str], evidence: str) -> None:  # V4
    assert denies_itself(reply(explanation, *differences, evidence=evidence, accurate=False)) == ""


@for_all_rows("piece", ["not ", "no difference ", "“", "does not a b ", "와 다르지 ", "( ", "is different "])
def test_a_long_reply_is_read_in_no_time(piece: str) -> None:
    text = piece * 50_000
    began = time.process_time()
    denies_itself(reply(text, text, evidence=text))
    assert time.process_time() - began < 0.5
