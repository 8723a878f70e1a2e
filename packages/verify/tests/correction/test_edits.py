"""Repairing an answer: failing statements are rewritten or removed; the rest reads and slices as if they had never
been there."""

import random
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.answers.parser import parse_answer
from citewell_verify.correction.corrected_answer import Corrected, Repair, correct
from citewell_verify.markers.parser import cited_markers
from verify_material.answers import ANSWERS, ANYTHING
from verify_material.rows import for_all_rows

DROP = Repair("dropped", "nothing supports it")
SOURCES = st.integers(0, 5)
WRONG = st.sets(st.tuples(st.integers(0, 8), st.integers(0, 5)), max_size=8)
ADDED = 3  # sources beyond the answer's own that a repair may cite


Case = tuple[str, int, set[tuple[int, int]], dict[int, Repair]]

_CLAUSES = (
    "Sales rose 5%",
    "Refunds take 30 days",
    "the fee is $5 in the U.S. market",
    "매출은 3.5% 늘었습니다",
    "| a",
)
_MARKERS = ("", "", "[†1]", " [2]", "[1, 2]", "[2-4]", " [†9]", "[0]", " (Source: 1)", "[†1][†3]", "【2†L3】", "[[1]]")
_ENDS = (
    ". ",
    ".",
    ".\n",
    ".\n\n",
    "? ",
    "。",
    "입니다. ",
    "\n- ",
    "\n1. ",
    "\n| ",
    ":\n",
    "\n## ",
    " `x[1]` ",
    "\n```\n",
)
_TAILS = ("", "", "", "\n\n### References\n- [†1] a.pdf, p.3", "\n\n출처: [1] 보고서.pdf, p.2", "According to [1], ")
_WORDS = ("Fees are 5 dollars.", "매출은 3.5% 늘었습니다.", "It [1] rose [†9].", "a\nb", " ")


def random_case(seed: int) -> Case:
    """An answer with markers in every place and form, verdicts, and repairs of some of its statements."""
    dice = random.Random(seed)
    pieces = [dice.choice(part) for _ in range(dice.randint(0, 7)) for part in (_CLAUSES, _MARKERS, _ENDS, _MARKERS)]
    sources = dice.randint(0, 5)
    wrong = {(dice.randint(0, 8), dice.randint(0, 5)) for _ in range(dice.randint(0, 8))}
    repairs = {dice.randint(0, 8): _random_repair(dice, sources) for _ in range(dice.randint(0, 5))}
    return "".join(pieces) + dice.choice(_TAILS), sources, wrong, repairs


def _random_repair(dice: random.Random, sources: int) -> Repair:
    numbers = tuple(dice.randint(1, sources + ADDED) for _ in range(dice.randint(1, 2)))
    return dice.choice(
        [
            DROP,
            Repair("reattributed", "another chunk says it", numbers),
            Repair.rewriting(dice.choice(_WORDS), numbers, "as the source has it"),
        ]
    )


def mended(case: Case) -> Corrected:
    answer, sources, wrong, repairs = case
    count = len(parse_answer(answer).said)
    return correct(answer, sources, wrong, {index: repair for index, repair in repairs.items() if index < count})


@pytest.mark.slow
def test_in_a_thousand_answers_no_number_dangles_repeats_or_is_skipped_and_offsets_slice() -> None:  # S5.5, N3, N5
    kinds: Counter[str] = Counter()
    for seed in range(1_000):
        corrected = mended(random_case(seed))
        assert_sound(corrected)
        kinds.update(edit.kind for edit in corrected.edits)
    # Each kind of edit was really made, and often.
    assert min(kinds[kind] for kind in ("removed", "renumbered", "reattributed", "rewritten", "dropped")) > 100


@given(ANSWERS | ANYTHING, SOURCES, WRONG, st.sets(st.integers(0, 8)))
def test_whatever_is_dropped_the_rest_is_sound(
    answer: str, sources: int, wrong: set[tuple[int, int]], dropped: set[int]
) -> None:  # S5.5, N3, N5
    assert_sound(mended((answer, sources, wrong, dict.fromkeys(dropped, DROP))))


def assert_sound(corrected: Corrected) -> None:
    """Numbers run from 1 without gaps and match those of the statements; statements slice the text, in order."""
    cited = [number for statement in corrected.statements for number in statement.numbers]
    assert sorted(set(cited)) == list(range(1, len(corrected.mapping) + 1)) == sorted(corrected.mapping.values())
    markers = cited_markers(corrected.text, len(corrected.mapping))
    assert [number for marker in markers for number in marker.numbers] == cited
    last = 0
    for statement in corrected.statements:
        assert corrected.text[statement.start : statement.end] == statement.text
        assert last <= statement.start <= statement.end
        assert len(set(statement.numbers)) == len(statement.numbers)
        last = statement.end
    assert not set(corrected.removed) & corrected.mapping.keys()


@for_all_rows(
    ("answer", "dropped", "expected"),
    [
        ("It rose [1]. It fell [2]. It stayed [1].", {1}, "It rose. [1] It stayed. [1]"),
        ("It rose [1]. It fell [2].", {1}, "It rose. [1]"),
        ("It rose [1]. It fell [2].", {0}, "It fell. [1]"),
        ("It rose [1]. It fell [2].", {0, 1}, ""),
        ("- It rose [1]\n- It fell [2]\n- It stayed [1]", {1}, "- It rose [1]\n- It stayed [1]"),
        ("- It rose [1]. It fell [2].\n- It stayed [1].", {0}, "- It fell. [2]\n- It stayed. [1]"),
        ("1. It rose [1].\n2. It fell [2].", {1}, "1. It rose. [1]"),
        ("It rose [1].\n\nIt fell [2].\n\nIt stayed [1].", {1}, "It rose. [1]\n\nIt stayed. [1]"),
        ("It rose [1].\nIt fell [2].\n\nIt stayed [1].", {1}, "It rose. [1]\n\nIt stayed. [1]"),
        ("매출은 늘었습니다[†1]. 비용은 줄었습니다[†2].", {0}, "비용은 줄었습니다. [1]"),
        ("It rose [1]. According to [2], it fell. It stayed [1].", {1}, "It rose. [1] It stayed. [1]"),
    ],
)
def test_what_is_dropped_leaves_no_hole(answer: str, dropped: set[int], expected: str) -> None:  # N5
    corrected = correct(answer, 2, set(), dict.fromkeys(dropped, DROP))
    assert corrected.text == expected
    assert [edit.kind for edit in corrected.edits].count("dropped") == len(dropped)


def test_a_rewritten_statement_keeps_its_place_and_gets_its_own_source() -> None:  # N5
    answer = "Returns take 60 days [1]. Refunds are free [2]."
    corrected = correct(
        answer, 2, set(), {0: Repair.rewriting("Returns take 30 days. [9]", (3,), "the source says 30")}
    )
    assert corrected.text == "Returns take 30 days. [2] Refunds are free. [1]"
    assert corrected.mapping == {2: 1, 3: 2}
    assert corrected.removed == [1]
    edit = corrected.edits[0]
    assert (edit.kind, edit.before, edit.after) == ("rewritten", "Returns take 60 days.", "Returns take 30 days.")
    assert edit.reason == "the source says 30"


def test_a_reattributed_citation_points_to_the_added_source() -> None:  # N5
    corrected = correct("Returns take 30 days [†1].", 1, {(0, 1)}, {0: Repair("reattributed", "there it is", (2,))})
    assert (corrected.text, corrected.mapping, corrected.removed) == ("Returns take 30 days. [1]", {2: 1}, [1])


def test_a_number_of_the_answer_never_reaches_an_added_source() -> None:  # N5
    corrected = correct("It rose [1]. It fell [3].", 2, set(), {0: Repair("reattributed", "there", (3,))})
    assert corrected.text == "It rose. [1] It fell."


def test_a_rewriting_without_words_is_a_drop() -> None:  # N5
    assert Repair.rewriting(" [1] \n", (1,), "nothing is left").kind == "dropped"


@given(ANSWERS, SOURCES, WRONG)
def test_dropping_all_statements_leaves_nothing_to_read(answer: str, sources: int, wrong: set[tuple[int, int]]) -> None:
    count = len(parse_answer(answer).said)
    corrected = correct(answer, sources, wrong, dict.fromkeys(range(count), DROP))
    assert corrected.statements == ()
    assert not re.search(r"\w{3,}", corrected.text)
