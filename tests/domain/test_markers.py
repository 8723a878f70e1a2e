"""Citation markers: every form that models write, and what only looks like one."""

import re

import pytest
from hypothesis import given

from domain.markers import Marker, cited_markers
from domain.protected import code_regions
from tests.answers import ANYTHING

SHAPE = re.compile(r"\\?\[.*[\])]|\(.*\)|［.*[］)]|【.*[】)]|<.*>|[¹²,]+", re.DOTALL)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("[†1]", (1,)),
        ("[1]", (1,)),
        ("[^1]", (1,)),
        ("[ 01 ]", (1,)),
        ("[1, 2]", (1, 2)),
        ("[1 and 2]", (1, 2)),
        ("[†1, †2]", (1, 2)),
        ("[2, 1, 2]", (2, 1)),
        ("[1-3]", (1, 2, 3)),
        ("[†1–†3]", (1, 2, 3)),
        ("[3-1]", (3, 1)),
        ("[1-999999999]", (1, 999999999)),
        ("[Source: 1]", (1,)),
        ("(source: 1)", (1,)),
        ("(Sources 1 and 2)", (1, 2)),
        ("[출처: 2]", (2,)),
        ("【1】", (1,)),
        ("【1†L3-L5】", (1,)),
        ("[1†source, 2†L4]", (1, 2)),
        ("[†1, p. 10]", (1,)),
        ("[1, pp. 3-4]", (1,)),
        ("[0]", (0,)),
        ("[2023]", (2023,)),
    ],
)
def test_every_form_of_a_marker_is_read(text: str, numbers: tuple[int, ...]) -> None:  # S1.3, S5.4
    assert cited_markers(f"Sales rose {text}.") == [Marker(11, 11 + len(text), numbers)]


@pytest.mark.parametrize(
    "text",
    [
        "[a]",
        "(1)",
        "[]",
        "[p. 1]",
        "[1](https://example.org)",
        "[1](#notes)",
        "[1]: https://example.org",
        "the code `x[1]` runs",
        "``a ` x[1]``",
        "```python\nx[1] = 2\n```",
        "~~~\nx[1]\n\ny[2]\n~~~",
        "[12345678901]",
    ],
)
def test_links_code_and_other_brackets_are_not_markers(text: str) -> None:  # S5.4
    assert cited_markers(text) == []


def test_side_by_side_markers_are_separate() -> None:  # S5.3
    assert [marker.numbers for marker in cited_markers("늘었다[†1][†2].")] == [(1,), (2,)]


def test_an_unclosed_back_tick_hides_nothing() -> None:  # S5.5
    assert len(cited_markers("a ` b [1]\n```\nc [2]")) == 2


@pytest.mark.parametrize("text", ["[2023] UKSC 5", "in [2019-2023]", "[1999, 2001]"])
def test_bracketed_years_belong_to_the_text(text: str) -> None:  # S5.4
    assert cited_markers(text) == []


@pytest.mark.parametrize("text", ["[†2023]", "[Source: 2023]", "【2023】", "[1, 2023]", "[999]", "[3000]"])
def test_a_year_in_a_sure_marker_is_a_number(text: str) -> None:  # S5.5
    assert len(cited_markers(text)) == 1


def test_code_is_found_with_its_fences() -> None:
    text = "Use `x[1]`:\n```\nx\n```\nend"
    assert [text[start:end] for start, end in code_regions(text)] == ["`x[1]`", "```\nx\n```"]


@given(ANYTHING)
def test_markers_are_in_order_apart_and_begin_and_end_with_brackets(text: str) -> None:  # S5.5
    position = 0
    for marker in cited_markers(text):
        assert position <= marker.start < marker.end
        assert SHAPE.fullmatch(text, marker.start, marker.end)
        assert marker.numbers or marker.missing
        position = marker.end


@pytest.mark.parametrize("piece", ["[1, ", "[1", "`", "` `` ", "[†1†", "(source ", "\n```\n~~~", "[1" + ", 1" * 50])
@pytest.mark.timeout(30)  # for ever, if a pattern backtracks
def test_hostile_text_comes_to_an_end(piece: str) -> None:  # N2
    text = piece * (100_000 // len(piece))
    assert all(text[marker.start] == "[" for marker in cited_markers(text))
