"""Lines with made-up geometry: columns, Korean, right-to-left text, formulas and other content of real PDFs."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from citewell_documents.document import ParsedDocument
from citewell_documents.parsing.pdf.layout import lay_out
from citewell_documents.parsing.pdf.lines import Line, readable
from citewell_documents.parsing.pdf.running_headers import without_repeats

LEADING = 12.0


def lines(
    *texts: str, left: float = 72, right: float = 300, top: float = 700, size: float = 10, **more: Any
) -> list[Line]:
    """Full lines below each other; the last one ends in the middle."""
    rows = [Line(text, left, right, top - LEADING * row, size, **more) for row, text in enumerate(texts[:-1])]
    last = Line(texts[-1], left, (left + right) / 2, top - LEADING * len(rows), size, **more)
    return [*rows, last]


def laid_out(*page: Line) -> ParsedDocument:
    return lay_out([list(page)], frozenset(), frozenset())


def spaced(line: Line) -> Line:
    return Line(line.text, line.left, line.right, line.y, line.size, spaced=True)


def divided(line: Line) -> Line:
    return Line(line.text, line.left, line.right, line.y, line.size, divided=True)


def test_a_sentence_goes_on_in_the_next_column() -> None:
    first = lines("The return window starts on", "the day after delivery and")
    first[-1] = Line(first[-1].text, 72, 300, first[-1].y, 10)
    second = lines("ends after thirty days.", "Weekends count.", left=320, right=548)
    assert laid_out(*first, *second).text == (
        "The return window starts on the day after delivery and ends after thirty days. Weekends count."
    )


def test_a_new_column_after_the_end_of_a_sentence_is_a_new_paragraph() -> None:
    first, second = lines("It ends after", "thirty days."), lines("weekends count", "as well.", left=320, right=548)
    assert laid_out(*first, *second).text == "It ends after thirty days.\n\nweekends count as well."


def test_an_indented_line_begins_a_paragraph() -> None:
    first = lines("The window starts on the", "day after delivery.")
    second = lines("It ends after thirty days;", "weekends count.", left=72, top=700 - 2 * LEADING)
    second[0] = Line(second[0].text, 84, 300, second[0].y, 10)
    assert laid_out(*first, *second).text == (
        "The window starts on the day after delivery.\n\nIt ends after thirty days; weekends count."
    )


def test_korean_words_that_a_line_divides_are_whole_again() -> None:
    rows = lines("전기버스의 평균 가동", "률은 작년보다 높은", "수준이며 앞으로도 높", "아질 것으로 보인다.")
    rows[1] = spaced(rows[1])
    assert laid_out(*rows).text == "전기버스의 평균 가동률은 작년보다 높은 수준이며 앞으로도 높아질 것으로 보인다."


def test_korean_lines_that_end_with_words_are_joined_by_spaces() -> None:
    rows = lines("전기버스의 평균", "가동률은 작년보다", "높아졌다.")
    assert laid_out(*rows).text == "전기버스의 평균 가동률은 작년보다 높아졌다."


def test_japanese_lines_are_joined_without_a_space() -> None:
    assert laid_out(*lines("返品は十四日以内に", "可能です。")).text == "返品は十四日以内に可能です。"


def test_right_to_left_lines_end_at_the_left() -> None:
    # Line keeps the sides in the direction of reading: mirrored for Arabic.
    rows = lines("تعتبر البرمجة من الأدوات", "القوية التي تعزز الإنتاجية", left=-300, right=-72)
    assert laid_out(*rows).text == "تعتبر البرمجة من الأدوات القوية التي تعزز الإنتاجية"


def test_a_divided_word_is_joined_and_a_known_compound_keeps_its_hyphen() -> None:
    rows = lines(
        "A well-known rule and the regis", "tration of a long", "term plan; long-term means well", "known to all."
    )
    rows = [divided(row) if row.text.endswith(("regis", "long", "well")) else row for row in rows]
    assert laid_out(*rows).text == (
        "A well-known rule and the registration of a long-term plan; long-term means well-known to all."
    )


def test_a_hyphen_at_the_end_of_the_page_is_kept() -> None:
    assert laid_out(divided(lines("The regis")[0])).text == "The regis-"


def test_a_raised_index_stays_in_its_line() -> None:
    base, raised = Line("X = R", 72, 100, 700, 10), Line("n", 100.5, 104, 703, 7)
    assert laid_out(base, raised, Line("holds.", 107, 140, 700, 10)).text == "X = Rn holds."


def test_a_stretched_space_is_no_cell_and_a_row_is_one() -> None:
    prose = lines("This line is justified", "over\tthe whole width", "of the page.")
    rows = lines("Electronics\t14 days", "Clothing\t30 days", top=600)
    assert laid_out(*prose, *rows).text == (
        "This line is justified over the whole width of the page.\n\nElectronics\t14 days\nClothing\t30 days"
    )


def test_an_entry_of_a_table_of_contents_is_no_heading() -> None:
    body = lines("Enough text to know what", "the size of the body is.", top=500)
    document = laid_out(*lines("2.1 Windows\t4", size=14), *lines("2.1 Windows", size=14, top=600), *body)
    assert [section.start for section in document.sections] == [len("2.1 Windows\t4\n\n")]


def test_what_only_a_symbol_font_can_show_is_a_bullet_or_nothing() -> None:
    assert readable("\uf0b7 Work") == readable("\x84 Work") == "• Work"
    assert readable("7\x03 Function\udb80") == "7 Function"
    assert readable("\ud83d\ude00 eﬃcient ﬁnding") == "😀 efficient finding"
    assert readable("1.2\tScope . . . . . . . . 14") == "1.2 Scope\t14"


@given(st.text(st.characters(max_codepoint=0xFFFF, categories=None)))
def test_no_unit_of_a_font_reaches_the_text_unstorable(units: str) -> None:
    readable(units).encode()
    assert "\0" not in readable(units)


def test_what_stands_left_at_the_same_height_is_another_paragraph() -> None:
    assert laid_out(Line("Right", 300, 340, 700, 10), Line("Left", 72, 100, 700, 10)).text == "Right\n\nLeft"


def test_a_divided_word_before_a_row_keeps_its_hyphen() -> None:
    first, row = divided(lines("See the regis")[0]), Line("1. Scope", 72, 140, 700 - LEADING, 10)
    assert laid_out(first, row).text == "See the regis-\n1. Scope"


def test_a_number_behind_a_hyphen_keeps_it() -> None:
    first, second = lines("The virus COVID", "19 and the rule (of", "the year) hold.")[:2], lines("x", top=600)
    assert laid_out(divided(first[0]), first[1], *second).text.startswith("The virus COVID-19 and")


def test_a_document_without_lines_is_empty() -> None:
    assert lay_out([[], []], frozenset(), frozenset()).text == ""


def test_running_lines_are_no_headings() -> None:
    def page(number: int) -> list[Line]:
        header = Line(f"{number} Refund Policy", 72, 200, 800, 14, margin=True)
        return [header, *lines(f"Page {'abc'[number]} says that the", "goods can be returned.")]

    document = lay_out(*without_repeats([page(0), page(1), page(2)]), frozenset())
    assert document.text.count("Refund Policy") == 1
    assert document.sections == ()


def test_the_number_of_a_page_vanishes_where_the_margin_is_wide() -> None:
    pages = [[*lines("Some text that is", "the body."), Line(str(number), 300, 306, 150, 10)] for number in (1, 2)]
    kept, _ = without_repeats(pages)
    assert [line.text for page in kept for line in page] == ["Some text that is", "the body."] * 2
