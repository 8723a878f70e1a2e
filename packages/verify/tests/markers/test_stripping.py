"""Removing markers from an answer leaves the text that it would be without them."""

import pytest
from hypothesis import given

from citewell_verify.markers.citable import citable_sources
from citewell_verify.markers.parser import cited_markers
from citewell_verify.markers.stripping import plain_text
from verify_material.answers import ANSWERS, ANYTHING
from verify_material.rows import for_all_rows


@for_all_rows(
    ("answer", "plain"),
    [
        ("Sales rose [1]. Costs fell.[2] Next.", "Sales rose. Costs fell. Next."),
        ("Sales rose [1] .", "Sales rose."),
        ("Sales[1] rose, [2] costs fell", "Sales rose, costs fell"),
        ("rose[1]fell", "rose fell"),
        ("a[1]b", "a[1]b"),
        ("rose [1], [2] and [3] today", "rose today"),
        ("rose ([1]) or fell [[2]]", "rose or fell"),
        ("rose (Source: [1], [2])", "rose"),
        ("Rose.\nSource: [1]\nFell.", "Rose.\nFell."),
        ("Rose.\n\n[1]\n\nFell.", "Rose.\n\nFell."),
        ("[1] Rose.\n- [2] Fell.", "Rose.\n- Fell."),
        ("Rose. [1]  \nFell.", "Rose.  \nFell."),
        ("Rose.  [1]", "Rose."),
        ("**Rose [1]** today", "**Rose** today"),
        ('He said "yes [1]" and left', 'He said "yes" and left'),
        ("Apple[1]'s sales", "Apple's sales"),
        ("runs on [1] .NET", "runs on .NET"),
        ("| a [1] | b [2] |", "| a | b |"),
        ("매출[1]은 늘었다[†2].", "매출은 늘었다."),
        ("売上は増えた。[1]次", "売上は増えた。次"),
        ("`x[1]` [1]", "`x[1]`"),
        ("[2023] UKSC 5 [1]", "[2023] UKSC 5"),
        ("[[9]1] odd", "odd"),
    ],
)
def test_the_text_reads_as_if_markers_had_never_been_there(answer: str, plain: str) -> None:  # S5.5
    assert plain_text(answer).text == plain


@for_all_rows(
    ("answer", "plain"),
    [
        ("According to [1], sales rose.", "According to the source, sales rose."),
        ("As stated in [1] and [2], it rose.", "As stated in the sources, it rose."),
        ("It rose. [2] states that it fell.", "It rose. The source states that it fell."),
        ("[†1]에 따르면 매출은 늘었다.", "출처에 따르면 매출은 늘었다."),
        ("In [1], it fell.", "In the source, it fell."),
        ("What they believe in [1].", "What they believe in."),
    ],
)
def test_a_marker_that_is_a_word_becomes_one(answer: str, plain: str) -> None:  # S5.5
    assert plain_text(answer).text == plain


@given(ANSWERS | ANYTHING)
def test_characters_know_where_they_were_and_marks_stand_in_order(answer: str) -> None:  # N3
    plain = plain_text(answer)
    assert len(plain.origin) == len(plain.text)
    assert list(plain.origin) == sorted(plain.origin)
    assert [mark.at for mark in plain.marks] == sorted(mark.at for mark in plain.marks)
    if not any(mark.noun for mark in plain.marks):
        kept = zip(plain.text, plain.origin, strict=True)
        assert all(answer[place] == character for character, place in kept if not character.isspace())


@given(ANSWERS | ANYTHING)
def test_no_marker_is_left(answer: str) -> None:  # S5.5
    plain = plain_text(answer)
    assert cited_markers(plain.text) == []
    assert bool(plain.marks) == bool(cited_markers(answer))


def test_brackets_nested_without_end_are_given_up() -> None:  # N2
    assert plain_text("[" * 500 + "9]" + "1]" * 500).text.startswith("[")


@pytest.mark.parametrize(
    ("answer", "texts", "left"),
    [
        (
            "Sizes are [2, 128, 64] in order [1].",
            ["Sizes are [2, 128, 64] in order.", "x"],
            "Sizes are [2, 128, 64] in order.",
        ),
        (
            "Error code [123] is a full disk [1].",
            ["Error code [123] is a full disk.", "x"],
            "Error code [123] is a full disk.",
        ),
        ("The array [1, 2] holds it [2].", ["x", "The array [1, 2] holds it."], "The array [1, 2] holds it."),
        ("오류 [37]은 과열이다 [1].", ["오류 [37]은 과열이다.", "x"], "오류 [37]은 과열이다."),
    ],
)
def test_a_bracket_of_a_source_is_content(answer: str, texts: list[str], left: str) -> None:  # V5
    assert plain_text(answer, citable_sources({"text": text} for text in texts)).text == left


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("Rome is old [1].", ["Rome is old [1].", "x"]),
        ("Rome is old [12].", ["Rome is new [12].", "x"]),
        ("Rome is old [12].", ["Rome is old [1].", "x"]),
    ],
)
def test_a_citation_that_a_source_has_too_or_elsewhere_stays_one(answer: str, texts: list[str]) -> None:  # V5
    sources = citable_sources({"text": text} for text in texts)
    assert "[" not in plain_text(answer, sources).text
