"""The seeds' messages, thresholds and examples, written out: what the other tests take from constants (S1–S5)."""

from inspect import signature

import pytest

from citewell_verify.answers.parser import is_checkable
from citewell_verify.answers.refusals import IDK, is_idk
from citewell_verify.answers.statements import plan_checks
from citewell_verify.answers.translation import references
from citewell_verify.correction.corrected_answer import correct
from citewell_verify.evidence.spans import best_text_span
from citewell_verify.markers.citable import names_of
from citewell_verify.prompting.judgements import Answerability
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.prompting.prompts import render
from citewell_verify.verdicts import states
from citewell_verify.verdicts.confidence import ConfidenceLevel
from citewell_verify.verdicts.states import (
    CONFIDENCE_THRESHOLD,
    Part,
    Thresholds,
    Verdict,
    Weights,
    citation_coverage,
    classify,
    issues,
    overall,
)
from domain.query.options import Mode, evidence_gate, rules_of
from domain.query.workspace_rules import PLAIN
from verify_material.rows import for_all_rows

KOREAN_IDK = "해당 정보는 제공된 출처에서 확인되지 않습니다"
FULL = Part(1.0)


def test_issues_are_worded_as_the_seed_words_them() -> None:  # S1.5
    assert issues(Part(0.0), Part(0.0), Part(0.0), Thresholds()) == [
        "Answer may not be well-supported by retrieved sources",
        "Many sources are not cited in the answer",
        "Some claims in the answer could not be verified",
    ]


def test_weights_and_thresholds_are_the_seeds_by_default() -> None:  # S1.5
    assert Weights() == Weights(alignment=0.4, coverage=0.3, facts=0.3)
    assert Thresholds() == Thresholds(alignment=0.5, coverage=0.5, facts=0.7)


@for_all_rows(
    ("alignment", "coverage", "facts", "expected"),
    [(1, 0, 0, 0.4), (0, 1, 0, 0.3), (0, 0, 1, 0.3), (1, 1, 1, 1.0), (0, 0, 0, 0.0), (0.85, 1, 2 / 3, 0.84)],
)
def test_each_score_has_its_weight_in_the_overall_score(
    alignment: float, coverage: float, facts: float, expected: float
) -> None:  # S1.5
    assert overall(Part(alignment), Part(coverage), Part(facts), Weights()) == pytest.approx(expected)


def test_weights_and_thresholds_can_be_configured() -> None:  # S1.5
    assert overall(Part(1.0), Part(0.0), Part(0.0), Weights(1, 1, 2)) == 0.25
    assert issues(Part(0.8), FULL, FULL, Thresholds(alignment=0.9)) == [states.ALIGNMENT_ISSUE]
    assert issues(Part(0.1), FULL, FULL, Thresholds(alignment=0.1)) == []


def test_facts_that_were_not_checked_score_a_half_and_say_so() -> None:  # S1.4
    assert states.FACTS_WHEN_NOT_CHECKED == 0.5
    facts = Part(states.FACTS_WHEN_NOT_CHECKED, "not_checked", "timeout")
    assert issues(FULL, FULL, facts, Thresholds())[-1] == "Facts: not checked (timeout)"


def test_the_seeds_three_claims_score_two_thirds() -> None:  # S1.4
    assert round(states.facts_score([True, True, False]), 2) == 0.67


@for_all_rows(("patterns", "bonus"), [(0, 0.0), (1, 0.1), (2, 0.2), (3, 0.3), (4, 0.3), (40, 0.3)])
def test_the_bonus_for_patterns_ends_at_three_tenths(patterns: int, bonus: float) -> None:  # S1.3
    sources = [names_of({"filename": f"no-{number}.pdf"}) for number in range(1, 11)]
    assert citation_coverage("According to the report it is so. " * patterns, sources) == pytest.approx(bonus)


@for_all_rows("name", ["AAPL", "2023", "10-Q", "AAPL 2023", "AAPL 10-Q 2023"])
def test_a_filing_is_named_by_each_identifier_and_by_their_combinations(name: str) -> None:  # S1.3
    sources = [
        names_of({"filename": "filing.txt", "metadata": {"ticker": "AAPL", "year": "2023", "filing_type": "10-Q"}}),
        names_of({"filename": "other.txt", "metadata": {"ticker": "MSFT", "year": "2019", "filing_type": "10-K"}}),
    ]
    assert citation_coverage(f"Revenue grew, says {name}.", sources) == 0.5


def test_coverage_never_exceeds_one() -> None:  # S1.3
    assert citation_coverage("According to a.pdf [1].", [names_of({"filename": "a.pdf"})]) == 1.0


def test_confidence_levels_have_the_seeds_names() -> None:  # S2.2
    assert list(ConfidenceLevel) == ["High", "Medium", "Low", "Very Low"]


def test_the_refusal_is_the_seeds_sentence() -> None:  # S3.4
    assert IDK == "I don't know based on the documents."


def test_the_answerability_verdict_has_the_seeds_fields() -> None:  # S3.4
    assert {"supported", "reason"} <= Answerability.model_fields.keys()


@pytest.mark.parametrize(
    ("mode", "min_chunks", "verify_answer", "second_pass_k"),
    [("low", 1, False, 5), ("balanced", 2, True, 8), ("high", 3, True, 10)],
)
def test_modes_are_the_seeds_table(mode: str, min_chunks: int, verify_answer: bool, second_pass_k: int) -> None:  # S3.5
    rules = rules_of(Mode(mode))
    assert (rules.min_chunks, rules.verify_answer, rules.second_pass_k) == (min_chunks, verify_answer, second_pass_k)


@for_all_rows(
    ("mode", "count", "refuses"),
    [("low", 1, False), ("balanced", 1, False), ("balanced", 2, False), ("high", 2, True), ("high", 3, False)],
)
def test_only_high_refuses_below_its_minimum(mode: str, count: int, refuses: bool) -> None:  # S3.5
    assert evidence_gate(Mode(mode), count).refuse is refuses


def test_a_span_has_fifty_to_two_hundred_characters_by_default() -> None:  # S4.6
    parameters = signature(best_text_span).parameters
    assert (parameters["min_chars"].default, parameters["max_chars"].default) == (50, 200)
    text = "Short one. " * 3 + "refund " * 60
    start, end = best_text_span(text, "refund")
    assert 50 <= end - start <= 200


@for_all_rows(
    ("is_accurate", "confidence", "expected"),
    [
        (True, 0.7, "accurate"),
        (True, 1.0, "accurate"),
        (True, 0.699, "uncertain"),
        (False, 0.7, "inaccurate"),
        (False, 0.699, "uncertain"),
        (True, 0.0, "uncertain"),
    ],
)
def test_a_citation_is_classed_as_in_the_seeds_table(
    is_accurate: bool, confidence: float, expected: str
) -> None:  # S5.4
    assert CONFIDENCE_THRESHOLD == 0.7
    assert classify(is_accurate, confidence) is Verdict(expected)


def test_the_confidence_threshold_of_a_request_counts() -> None:  # S5.4, S5.6
    assert classify(True, 0.75, threshold=0.8) is Verdict.UNCERTAIN
    assert classify(False, 0.5, threshold=0.5) is Verdict.INACCURATE


@for_all_rows(
    ("words", "checkable"),
    [
        ("2023!", False),
        ("12345 a", False),
        ("12345 ab", True),
        ("12345 가", False),
        ("12345 가나", True),
        ("abcd", False),
        ("abcde", True),
        ("매출은 늘", True),
        ("", False),
    ],
)
def test_a_statement_needs_five_characters_and_two_letters(words: str, checkable: bool) -> None:  # S5.4
    assert is_checkable(words) is checkable


def test_the_same_words_about_the_same_source_are_checked_once() -> None:  # S5.4
    planned = plan_checks("Fees apply [†1]. Fees  apply [†1]. Fees apply [†2].", sources=2)
    assert [check.item for check in planned] == ["s0:c1", "s2:c2"]


def test_of_five_citations_the_third_and_fifth_go_and_the_rest_becomes_one_to_three() -> None:  # S5.5
    answer = (
        "매출은 늘었습니다[†1]. 비용은 줄었습니다[†2]. 가격은 같습니다[†3]. 이익은 컸습니다[†4]. 세금은 높습니다[†5]."
    )
    corrected = correct(answer, 5, {(2, 3), (4, 5)})
    assert corrected.mapping == {1: 1, 2: 2, 4: 3}
    assert corrected.removed == [3, 5]
    assert [statement.numbers for statement in corrected.statements] == [(1,), (2,), (), (3,), ()]


def test_references_name_file_and_page_under_the_new_numbers() -> None:  # S5.5
    assert references(["파일명.pdf, p.10", "파일명.pdf, p.25"]) == [
        "[1] 파일명.pdf, p.10",
        "[2] 파일명.pdf, p.25",
    ]


def prompt() -> tuple[str, str]:
    sources = Sources.numbered([("정책.pdf, p.3", "환불은 30일 이내입니다."), ("guide.md", "Fees apply.")])
    rendered = render("generate_answer", {"sources": sources, "question": "환불 기간은?", "idk": IDK, "style": PLAIN})
    return rendered.system, rendered.user


@for_all_rows(
    ("rule", "words"),
    [
        ("only what is written in the sources", "use only what is explicitly written in the sources below"),
        ("no guess, no general knowledge", "Do not guess, and do not add general knowledge"),
        ("no exaggeration", "Do not exaggerate or widen what a source says"),
        ("a fixed sentence when it is not there", f"reply with exactly: {IDK}"),
        ("a marker at the end of each sentence", "at the end of every sentence, in the form [†1]"),
        ("only a source that says so", "Cite only a source that really contains what the sentence says"),
        ("several sources side by side", "[†1][†2]"),
        ("in the language of the question", "Answer in the language of the question"),
    ],
)
def test_the_answer_is_asked_for_by_the_seeds_rules(rule: str, words: str) -> None:  # S5.3
    system, _ = prompt()
    assert words in system, rule


def test_the_prompt_names_every_source_with_its_number_file_and_page() -> None:  # S5.3
    _, user = prompt()
    assert '<source id="1" name="정책.pdf, p.3">' in user
    assert '<source id="2" name="guide.md">' in user
    assert user.index("환불은 30일 이내입니다.") < user.index("환불 기간은?")


@for_all_rows(
    "answer",
    [
        KOREAN_IDK,
        f"{KOREAN_IDK}.",
        f"{KOREAN_IDK}[†1].",
        f'"{KOREAN_IDK}"',
        f" {KOREAN_IDK} 。\n",
        "해당 정보는 제공된 출처에서 확인할 수 없습니다.",
        "해당 정보는 제공된 문서에서 확인되지 않습니다.",
    ],
)
def test_the_seeds_korean_refusal_is_known(answer: str) -> None:  # S5.3, S3.4
    assert is_idk(answer)


@pytest.mark.parametrize(
    "answer",
    [
        f"환불은 30일 이내입니다[†1]. {KOREAN_IDK}.",
        f"{KOREAN_IDK}. 다만 수수료는 있습니다[†2].",
        "해당 정보는 제공된 출처에서 확인됩니다.",
        "환불 기간은 제공된 출처에서 확인되지 않습니다.",
    ],
)
def test_a_korean_answer_that_says_more_is_no_refusal(answer: str) -> None:  # S5.3, N4
    assert not is_idk(answer)


def test_the_korean_refusal_claims_nothing_that_needs_a_check() -> None:  # S5.3, S2.6
    assert plan_checks(f"{KOREAN_IDK}.", sources=3) == []


# S1.2, S3.1, S3.4, S5.4
@for_all_rows(
    ("name", "words"),
    [
        ("check_alignment", "does the answer address the question"),
        ("check_alignment", "is its information supported by the sources"),
        ("check_alignment", "does it contradict them"),
        ("rerank_chunk", "You are a relevance scorer."),
        ("rerank_chunk", "Score strictly between 0 and 1"),
        ("check_answerability", "You are a strict verifier."),
        ("check_answerability", "fully supported by the context"),
        ("check_answerability", "If the answer includes a claim that is not in the context"),
        ("check_answerability", "the reason in one short sentence"),
        ("check_statement", "Is the core of the statement supported by the source?"),
        ("check_statement", "Are the facts undistorted and not exaggerated?"),
        ("check_statement", "Does the statement add nothing that the source does not contain?"),
    ],
)
def test_each_judgement_is_asked_for_by_the_seeds_criteria(name: str, words: str) -> None:
    fields = dict.fromkeys(("question", "answer", "statement", "chunk"), "x") | {"sources": Sources()}
    wanted = {
        "check_alignment": ("sources", "question", "answer"),
        "rerank_chunk": ("chunk", "question"),
        "check_answerability": ("sources", "question", "answer"),
        "check_statement": ("sources", "statement"),
    }
    system = render(name, {field: fields[field] for field in wanted[name]}).system
    assert words in " ".join(system.split())
