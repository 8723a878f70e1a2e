"""Correcting citations: what is removed, what stays, and what holds afterwards."""

import re

from hypothesis import assume, example, given
from hypothesis import strategies as st

from citewell_verify.answers.translation import strip_references
from citewell_verify.correction.corrected_answer import Corrected, Edit, correct
from citewell_verify.markers.parser import cited_markers
from verify_material.answers import ANSWERS, ANYTHING
from verify_material.rows import for_all_rows

SOURCES = st.integers(0, 5)
WRONG = st.sets(st.tuples(st.integers(0, 8), st.integers(0, 5)), max_size=8)
NOTHING_WRONG: frozenset[tuple[int, int]] = frozenset()


def numbers_in(text: str, sources: int) -> list[int]:
    return [number for marker in cited_markers(text, sources) for number in marker.numbers]


def test_the_seeds_example_is_renumbered_as_the_seed_says() -> None:  # S5.5
    answer = "One is so [†1]. Two is so [†2]. Three is so [†3]. Four is so [†4]. Five is so [†5]."
    corrected = correct(answer, 5, {(2, 3), (4, 5)})
    assert corrected.text == "One is so. [1] Two is so. [2] Three is so. Four is so. [3] Five is so."
    assert corrected.mapping == {1: 1, 2: 2, 4: 3}
    assert corrected.removed == [3, 5]


@for_all_rows(
    ("answer", "expected"),
    [
        ("It rose [†2], and fell [1].", "It rose, and fell. [1][2]"),
        ("It rose.[†1][†1] It fell [1, 2] .", "It rose. [1] It fell. [1][2]"),
        ("매출은 늘었습니다[†1]. 비용은 줄었습니다[†2].", "매출은 늘었습니다. [1] 비용은 줄었습니다. [2]"),
        ("売上は増えた[1]。費用は減った[2]。", "売上は増えた。[1]費用は減った。[2]"),
        ("It rose [7]. It fell [0].", "It rose. It fell."),
        ("- It rose [1]\n- It fell (Source: 2)\n", "- It rose [1]\n- It fell [2]\n"),
        ("| Fee [1] | 5 [2] |\n|---|---|", "| Fee | 5 [1][2] |\n|---|---|"),
        ("Use `x[1]`, then wait [2].", "Use `x[1]`, then wait. [1]"),
        ("Run:\n\n```\nx[1]\n```\n[1]", "Run:\n\n```\nx[1]\n```\n[1]"),
        ("[1] It rose.\n[2] It fell.", "It rose. [1]\nIt fell. [2]"),
        ("It rose.\nSources: [1], [2]", "It rose. [1][2]"),
        ("According to [2], it rose.", "According to the source, it rose. [1]"),
        ("It rose [1].\n\n### References\n- [†1] a.pdf, p.1", "It rose. [1]"),
        ("No  citation ,\n here ( really )", "No  citation ,\n here ( really )"),
        ("[1]", ""),
    ],
)
def test_markers_get_one_form_and_one_place(answer: str, expected: str) -> None:  # S5.5
    assert correct(answer, 2, NOTHING_WRONG).text == expected


def test_a_number_stays_while_one_statement_keeps_it() -> None:  # S5.5
    corrected = correct("It rose [1]. It fell [1][2].", 2, {(0, 1)})
    assert corrected.text == "It rose. It fell. [1][2]"
    assert corrected.removed == []


def test_every_change_is_logged() -> None:  # S5.5, N5
    answer = "According to [3], it rose [9]. It fell [1].\n\nReferences\n[1] a.pdf"
    assert correct(answer, 3, {(1, 1)}).edits == [
        Edit("reworded", 0, None, "the citation was a word of its sentence, now 'the source'"),
        Edit("removed", 0, 9, "no such source"),
        Edit("removed", 1, 1, "it does not prove the sentence"),
        Edit("renumbered", None, 3, "now [1]"),
        Edit("references_stripped", None, None, "the list of references is made anew"),
    ]


def test_a_citation_of_nothing_goes_and_is_logged() -> None:  # S5.5
    corrected = correct("[2]", 2, NOTHING_WRONG)
    assert corrected.removed == [2]
    reason = "it stands behind no sentence"
    assert [edit.as_json() for edit in corrected.edits] == [
        {"kind": "removed", "statement": None, "number": 2, "reason": reason, "before": None, "after": None}
    ]


@given(ANSWERS | ANYTHING, SOURCES, WRONG)
@example("0[1][2]=", 2, set())
@example("| a= | b=【1】 |", 1, set())
def test_no_number_dangles_repeats_or_is_skipped(
    answer: str, sources: int, wrong: set[tuple[int, int]]
) -> None:  # S5.5
    corrected = correct(answer, sources, wrong)
    written = [statement.numbers for statement in corrected.statements]
    assert sorted({n for numbers in written for n in numbers}) == list(range(1, len(corrected.mapping) + 1))
    assert numbers_in(corrected.text, len(corrected.mapping)) == [n for numbers in written for n in numbers]
    assert all(list(numbers) == sorted(set(numbers)) for numbers in written)


@given(ANSWERS | ANYTHING, SOURCES, WRONG)
def test_statements_slice_back_exactly(answer: str, sources: int, wrong: set[tuple[int, int]]) -> None:  # N3
    corrected = correct(answer, sources, wrong)
    markers = cited_markers(corrected.text, len(corrected.mapping))
    for index, statement in enumerate(corrected.statements):
        assert statement.index == index
        assert corrected.text[statement.start : statement.end] == statement.text
        assert not any(statement.start <= marker.start < statement.end for marker in markers)


@given(ANSWERS, SOURCES, WRONG)
def test_wrong_pairs_go_and_all_others_stay(answer: str, sources: int, wrong: set[tuple[int, int]]) -> None:  # S5.5
    before, corrected = correct(answer, sources, NOTHING_WRONG), correct(answer, sources, wrong)
    assert pairs(corrected) == pairs(before) - wrong
    assert not corrected.mapping.keys() & set(corrected.removed)
    assert corrected.mapping.keys() | set(corrected.removed) == before.mapping.keys() | set(before.removed)


def pairs(corrected: Corrected) -> set[tuple[int, int]]:
    old = {new: old for old, new in corrected.mapping.items()}
    return {(s.index, old[number]) for s in corrected.statements for number in s.numbers}


@given(ANSWERS, SOURCES, WRONG)
def test_correcting_again_changes_nothing(answer: str, sources: int, wrong: set[tuple[int, int]]) -> None:  # S5.5
    once = correct(answer, sources, wrong)
    twice = correct(once.text, len(once.mapping), NOTHING_WRONG)
    assert (twice.text, twice.statements, twice.edits) == (once.text, once.statements, [])


@given(ANSWERS | ANYTHING, SOURCES, WRONG)
def test_no_words_are_lost_but_markers_and_references(
    answer: str, sources: int, wrong: set[tuple[int, int]]
) -> None:  # S5.5
    # Labels, "and" between markers and markers that are words have tests of their own.
    assume(not re.search(r"source|출처|according|에 따르면|†[^0-9]|and|references|sup>|\]\(", answer, re.IGNORECASE))
    corrected = correct(answer, sources, wrong).text
    assert letters(corrected) == letters(strip_references(answer))


def letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


@given(st.text(alphabet=st.characters(blacklist_characters="[【(［〔〖﹝⟦〚（<¹²³⁰⁴⁵⁶⁷⁸⁹⁽"), max_size=80), SOURCES)
def test_text_without_brackets_is_left_alone(text: str, sources: int) -> None:  # S5.5
    assert correct(text, sources, NOTHING_WRONG).text == strip_references(text)
