"""What the offline judge says of languages that its rules do not read: yes to what a source has word for word."""

import json
from pathlib import Path

import pytest

from citewell_verify.judging.statement import NotJudged
from citewell_verify.offline.judge import rewrite_statement
from citewell_verify.offline.judging import check_alignment, check_answerability, check_statement
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.judgements import StatementCheck
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.verdicts.ruling import Grounds
from verify_material.rows import for_all_rows

CASES = [
    json.loads(line) for line in Path("bench/benchmarks/verdicts/other_languages.jsonl").read_text("utf-8").splitlines()
]
CHANGED = ("true", "number", "name", "negated", "swapped")
WORDS = Meaning(None)
GERMAN = "Der Mieter zahlt nicht. Die Frist endet am 3. Mai 2024. Es ist falsch, dass der Hund bellt."


def of(source: str) -> Sources:
    return Sources.numbered([("source.txt", source)])


@for_all_rows("case", CASES)
def test_only_what_stands_in_the_source_is_supported_and_the_language_is_named(case: dict[str, str]) -> None:  # V1
    sources = of(case["source"])
    copied = f"{case['verbatim'][:-1]} [1]{case['verbatim'][-1]}"
    check = check_statement(copied, sources, WORDS)
    assert check.evidence.strip() in case["source"]
    assert Grounds.of(copied, [case["source"]]).rule(check).supports
    for kind in CHANGED:
        with pytest.raises(NotJudged, match=f"^the rules read English and Korean; this is {case['language']}$"):
            check_statement(case[kind], sources, WORDS)
        assert rewrite_statement({"statement": case[kind], "sources": sources}).text == ""


@pytest.mark.parametrize(
    "said", ["Der Mieter zahlt.", "Der Hund bellt.", "Die Frist endet am 3. Mai 202.", "Mieter zahlt nicht."]
)
def test_a_part_of_a_sentence_is_no_copy_of_it(said: str) -> None:
    with pytest.raises(NotJudged):
        check_statement(said, of(GERMAN), WORDS)


@pytest.mark.parametrize(
    "said", ["Die Frist endet am 3.", "Mai 2024.", "Der Mieter zahlt nicht. Die Frist endet am 3. Mai 2024."]
)
def test_what_a_splitter_cut_behind_a_stop_is_a_copy(said: str) -> None:  # V1
    assert check_statement(said, of(GERMAN), WORDS).is_accurate


def test_an_answer_as_a_whole_is_not_judged_either() -> None:
    with pytest.raises(NotJudged):
        check_answerability("Wer zahlt?", "Der Mieter zahlt jeden Monat.", of(GERMAN), WORDS)
    with pytest.raises(NotJudged):
        check_alignment("Wer zahlt?", "Der Mieter zahlt jeden Monat.", of(GERMAN), WORDS)


@pytest.mark.parametrize(
    ("quote", "supports"),
    [
        ("Die Frist endet am 3. Mai 2024.", True),
        ("", False),
        (".", False),
        ("Die Frist wurde vom Vermieter verkürzt.", False),
    ],
)
def test_a_language_model_judges_alone_with_words_that_stand_in_a_source(quote: str, supports: bool) -> None:  # V4
    reply = StatementCheck(evidence=quote, relation="supports", is_accurate=True, confidence=0.95)
    ruling = Grounds.of("Bis zum 03.05.2024 muss alles gemeldet sein.", [GERMAN]).rule(reply)
    assert (ruling.supports and ruling.confidence == 0.95) is supports
    assert ruling.decided_by == ("model" if supports else "evidence")


def test_no_rule_strikes_a_language_models_yes() -> None:
    reply = StatementCheck(
        evidence="Die Frist endet am 3. Mai 2024.", relation="supports", is_accurate=True, confidence=0.95
    )
    assert Grounds.of("Die Frist endet im Wonnemonat 2023.", [GERMAN]).rule(reply).supports
