"""Citation markers: every form that models write, and what only resembles one."""

import re

import pytest
from hypothesis import given

from citewell_verify.markers.parser import Marker, cited_markers
from citewell_verify.markers.places import code_regions
from verify_material.answers import ANYTHING
from verify_material.rows import for_all_rows

NESTED = [
    "[[1]",
    "[",
    "$a ",
    "\\(",
    "\\[a",
    "<sup>[1]",
    "<code>",
    "(Source: a",
    "[Source: [",
    "a[1]",
    "¹,",
    "https://a",
    "[a](",
    "[1](#",
]
SHAPE = re.compile(r"\\?[\[(［【〔<¹²³⁰⁴-⁹].*[\])］）】〕>¹²³⁰⁴-⁹]|[¹²³⁰⁴-⁹⁽⁾,; ⁻–-]+", re.DOTALL)


@for_all_rows(
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
        ("［1］", (1,)),
        ("［１、２］", (1, 2)),
        ("[†１]", (1,)),
        ("〔2〕", (2,)),
        ("[1](https://a.example/b_(c))", (1,)),
        ('[1](#notes "Title")', (1,)),
        ("[[1]](#ref1)", (1,)),
        ("[[[2]]]", (2,)),
        ("[1]–[3]", (1, 2, 3)),
        ("<sup>1,2</sup>", (1, 2)),
        ("<sup>[1][2]</sup>", (1, 2)),
        ('<sup><a href="#fn7">1</a></sup>', (1,)),
        ("\\[1\\]", (1,)),
        ("[Document 3]", (3,)),
        ("(Source: [1], [2])", (1, 2)),
        ("[Source 2: policy.pdf]", (2,)),
    ],
)
def test_every_form_of_a_marker_is_read(text: str, numbers: tuple[int, ...]) -> None:  # S1.3, S5.4
    assert cited_markers(f"Sales rose {text}.") == [Marker(11, 11 + len(text), numbers)]


@for_all_rows(
    "text",
    [
        "[a]",
        "(1)",
        "[]",
        "[p. 1]",
        "![1](https://example.org/a.png)",
        "[the guide [1]](https://example.org)",
        "[guide](https://example.org/[1])",
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


@for_all_rows(
    "text",
    [
        "Every continuous function on [0, 1] is bounded.",
        "On [1, 2] the function is bounded.",
        "On [1, 2], f is continuous.",
        "Let γ : [0, 1] → X be a path.",
        "Let γ : [1, 2] → X be a path.",
        "The interval [1, 2] is closed.",
        "The vector [1, 2] points there.",
        "It is the union [0, 1] ∪ [1, 2] of two.",
        "They lie between [0, 1] and [1, 2] here.",
        "구간 [1, 2]에서 함수는 유계이다.",
        "[1, 2]에서 함수는 유계이다.",
        "The vector v = [1, 2] is short.",
        "The matrix [[1, 2], [3, 4]] is regular.",
        "It is in $x \\in [1, 2]$ or $$[1, 2]$$ or \\([1, 2]\\).",
        "The first is a[0] and the second a[1].",
        "Read argv[1], user_ids[2] and userIds[3].",
        "Here items[0] and items[1] differ.",
        "The value row[1] = 5 is set.",
        "The element A[1] is set.",
        "Ask https://x.example/?filter[1]=5 or /?page[2]=1 for it.",
        "The XPath //div[1]/p[2]/a finds it.",
        'It is {"a": [1, 2]} and np.array([1, 2, 3]).',
        "In the interval [1, 2] and [2, 3] it grows.",
        "[2, 3] is a closed set.",
        "The range is [1, 2] meters.",
        "Write for i in [1, 2, 3] first.",
        "The rate is 10⁻³ s⁻¹ here.",
        "The [3,3]-sigmatropic shift and [18]F-FDG.",
        "It has 20 m², 10³ seats, x² + y², 5 km<sup>2</sup>, Ca²⁺ and ¹⁴C.",
        'He wrote <a href="/x[1]">this</a> and <code>y[2]</code>.',
        "Press [1] to go on.",
    ],
)
def test_a_bracket_that_cannot_cite_is_no_marker(text: str) -> None:  # V5
    assert cited_markers(text, 4) == []
    behind = cited_markers(f"{text} [1]", 4)
    assert [(marker.start, marker.numbers) for marker in behind] == [(len(text) + 1, (1,))]


@for_all_rows(
    ("text", "numbers"),
    [
        ("Sales rose [1, 2].", [(1, 2)]),
        ("Sales [1, 2] rose.", [(1, 2)]),
        ("As shown in [1, 2], it rose.", [(1, 2)]),
        ("This is based on [1, 2] only.", [(1, 2)]),
        ("Temperatures stay in this range [1, 2].", [(1, 2)]),
        ("It offers a wide array [1, 2].", [(1, 2)]),
        ("The authors of [1, 2] agree.", [(1, 2)]),
        ("Vitamin C[1] and plan B[2] help.", [(1,), (2,)]),
        ("It weighs 5 g[1] and is 3 m[2] long.", [(1,), (2,)]),
        ("They live in France[1]. Others in Rome[2].", [(1,), (2,)]),
        ("It is on example.com[1] and in report.pdf[2].", [(1,), (2,)]),
        ("See https://a.example/c[1] for more [2].", [(1,), (2,)]),
        ("It costs $5 [1] and not 6$ [2].", [(1,), (2,)]),
        ("In 2024¹ sales rose² by 3%³.", [(1,), (2,), (3,)]),
        ("The first is a[0], the second a[1][2].", [(2,)]),
        ("Wow![1](https://a.example)", [(1,)]),
        ("매출[1]은 늘었다¹. 売上は増えた［2］。", [(1,), (1,), (2,)]),
    ],
)
def test_a_bracket_where_citations_stand_is_a_marker(text: str, numbers: list[tuple[int, ...]]) -> None:  # V5
    assert [marker.numbers for marker in cited_markers(text, 4)] == numbers


@for_all_rows(
    ("text", "sources", "cites"),
    [
        ("The pair [3, 4] has length five.", 4, True),
        ("The pair [3, 4] has length five.", 2, False),
        ("They chose [7, 8] as a start.", 8, True),
        ("They chose [7, 8] as a start.", 4, False),
        ("Sales rose [7, 8].", 4, True),  # dangling, where only citations occur
        ("In [1, 2], the function is continuous.", 2, True),
        ("In [1, 2], the function is continuous.", 1, False),
        ("The steps¹² are known.", 12, True),
    ],
)
def test_the_numbers_of_the_sources_decide_where_both_are_possible(text: str, sources: int, cites: bool) -> None:  # V5
    assert bool(cited_markers(text, sources)) == cites


def test_raised_digits_are_one_number_or_several_as_there_are_sources() -> None:  # V5
    assert cited_markers("Sales rose¹².", 12)[0].numbers == (12,)
    assert cited_markers("Sales rose¹².", 4)[0].numbers == (1, 2)


def test_markers_of_two_lines_are_no_range() -> None:  # V5
    assert [marker.numbers for marker in cited_markers("It rose [1]\n- [3] It fell")] == [(1,), (3,)]


def test_side_by_side_markers_are_separate() -> None:  # S5.3
    assert [marker.numbers for marker in cited_markers("늘었다[†1][†2].")] == [(1,), (2,)]


def test_an_unclosed_back_tick_hides_nothing() -> None:  # S5.5
    assert len(cited_markers("a ` b [1]\n```\nc [2]")) == 2


@pytest.mark.parametrize("text", ["[2023] UKSC 5", "in [2019-2023]", "[1999, 2001]"])
def test_bracketed_years_belong_to_the_text(text: str) -> None:  # S5.4
    assert cited_markers(text) == []


@for_all_rows("text", ["[†2023]", "[Source: 2023]", "【2023】", "[1, 2023]", "[999]", "[3000]"])
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


@for_all_rows("piece", ["[1, ", "[1", "`", "` `` ", "[†1†", "(source ", "\n```\n~~~", "[1" + ", 1" * 50, *NESTED])
@pytest.mark.timeout(30)  # for ever, if a pattern backtracks
@pytest.mark.slow
def test_hostile_text_comes_to_an_end(piece: str) -> None:  # N2
    text = piece * (100_000 // len(piece))
    assert all(text[marker.start] in "[¹<\\" for marker in cited_markers(text))


def test_a_bracket_in_a_path_of_windows_is_no_citation() -> None:  # V5
    (marker,) = cited_markers("The path C:\\data[1]\\Warsaw holds the warranty. [2]", 2)
    assert marker.numbers == (2,)
