"""Numbers count things, and Korean particles, clauses and predicates decide what a sentence says (V2, V3)."""

import json
from pathlib import Path
from typing import Any

import pytest

from citewell_verify.entities.numbers import find_quantities
from citewell_verify.facts.reading.korean import only_particle
from citewell_verify.facts.reading.tokens import tokenize
from citewell_verify.verdicts.states import SentenceStatus
from verify_material.rows import for_all_rows
from verify_material.statuses import statuses

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "counts_and_particles.json").read_text(encoding="utf-8")
)


def test_everyday_statements() -> None:
    """`may_be_said` follows from the source in ways that no rule proves: it must not count as contradicted."""
    said, may_be_said, not_said = (
        [statuses(text, case["source"]) for case in CASES for text in case.get(kind, ())]
        for kind in ("said", "may_be_said", "not_said")
    )
    assert sum(found == {SentenceStatus.SUPPORTED} for found in said) >= 0.94 * len(said)
    assert not any(SentenceStatus.CONTRADICTED in found for found in may_be_said)
    assert sum(SentenceStatus.SUPPORTED in found for found in not_said) <= 0.03 * len(not_said)


@for_all_rows(
    ("text", "value", "unit"),
    [
        ("양말 세 켤레", 3, ""),
        ("스물두 송이를", 22, ""),
        ("열한 나라가", 11, ""),
        ("half an hour", 0.5, "hour"),
        ("half a dozen eggs", 6, ""),
        ("a dozen eggs", 12, ""),
        ("3 dozen eggs", 36, ""),
        ("The pool is a metre deep.", 1, "metre"),
        ("It lasts for an hour.", 1, "hour"),
        ("30 million pounds", 30e6, "gbp"),
        ("30 million pounds of beef", 30e6, ""),
        ("길이는 420m이다", 420, "m"),
        ("$420m으로 늘었다", 420e6, "$"),
    ],
)
def test_numbers_in_words_and_with_counters(text: str, value: float, unit: str) -> None:
    assert [(each.value, each.unit) for each in find_quantities(text)] == [(value, unit)]


@pytest.mark.parametrize("text", ["세대 차이가 크다.", "열이 난다.", "한 장소에서 만났다.", "It costs eight an hour."])
def test_words_that_are_no_numbers(text: str) -> None:
    assert not any(each.value == 1 or each.text in ("세", "열", "한") for each in find_quantities(text))


@pytest.mark.parametrize(("word", "particle"), [("회원만", "만"), ("여름에만", "만"), ("현금만을", "만을")])
def test_only_is_a_particle(word: str, particle: str) -> None:
    assert only_particle(word) == particle


@for_all_rows("word", ["대만", "불만을", "하지만", "얼마만", "수십만", "해야만", "높지만"])
def test_nouns_and_endings_in_the_same_letters_are_no_particle(word: str) -> None:
    assert only_particle(word) == ""


@pytest.mark.parametrize(("text", "means_all"), [("위원 전원이 찬성했다.", True), ("전원을 켠다.", False)])
def test_power_is_not_all(text: str, means_all: bool) -> None:
    assert any(each.cue == "all" for each in tokenize(text)) is means_all
