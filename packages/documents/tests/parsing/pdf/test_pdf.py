"""PDFs that fpdf2 writes, read back: pages, paragraphs, tables, sections, running lines."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from citewell_documents.document import ParsedDocument
from citewell_documents.parsing import ParseLimits, parse
from document_material.pdf_files import Sheet, raw
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=50, max_chars=100_000)
FIRST = (
    "Most goods can be returned within thirty days of delivery. The return must be registered within this time and "
    "handed to the carrier no later than seven days after the registration, which is free of charge."
)
SECOND = (
    "Opened electronics are an exception to this rule: they can be returned within fourteen days, and a restocking fee "
    "of 15% of the price is deducted unless the article is defective or was damaged on the way to the customer."
)


def parsed(sheet: Sheet) -> ParsedDocument:
    return parse(sheet.data(), "policy.pdf", LIMITS)


def paragraphs(document: ParsedDocument) -> list[str]:
    return document.text.split("\n\n")


def test_wrapped_lines_become_one_line_and_paragraphs_stay_apart() -> None:
    assert paragraphs(parsed(Sheet().block(FIRST).block(SECOND))) == [FIRST, SECOND]


@pytest.mark.parametrize("width", [180, 220, 300, 450])
def test_the_width_of_the_column_does_not_matter(width: float) -> None:
    assert paragraphs(parsed(Sheet(width=width).block(FIRST).block(SECOND).block(FIRST))) == [FIRST, SECOND, FIRST]


def test_pages_are_counted_from_one_and_hold_their_text() -> None:  # N3
    sheet = Sheet().block(FIRST)
    sheet.add_page()
    sheet.add_page()
    document = parsed(sheet.block(SECOND))
    assert [(page.number, document.text[page.start : page.end]) for page in document.pages] == [
        (1, FIRST),
        (2, ""),
        (3, SECOND),
    ]
    assert document.text == f"{FIRST}\n\n{SECOND}"


def test_a_larger_or_bold_line_is_a_heading_and_numbers_nest() -> None:
    sheet = Sheet().block("Refund Policy", size=20, bold=True).block(FIRST)
    sheet.block("1. Windows", size=14, bold=True, gap=2).block("1.1 Standard window", bold=True, gap=2).block(FIRST)
    sheet.block("1.2 Holiday season", bold=True, gap=2).block(SECOND).block("2. Fees", size=14, bold=True).block(SECOND)
    document = parsed(sheet)
    assert [" > ".join(section.path) for section in document.sections] == [
        "Refund Policy",
        "Refund Policy > 1. Windows",
        "Refund Policy > 1. Windows > 1.1 Standard window",
        "Refund Policy > 1. Windows > 1.2 Holiday season",
        "Refund Policy > 2. Fees",
    ]
    starts = [document.text[section.start :].split("\n\n")[0] for section in document.sections]
    assert starts == [section.title for section in document.sections]


def test_a_bookmark_makes_a_heading_of_a_line_that_looks_like_text() -> None:
    sheet = Sheet().block(FIRST)
    sheet.start_section("Opened goods")
    document = parsed(sheet.block("Opened goods").block(SECOND))
    assert [section.title for section in document.sections] == ["Opened goods"]


def test_rows_of_a_table_stay_lines_and_cells_are_separated_by_tabs() -> None:
    rows = [("Category", "Window", "Fee"), ("Clothing", "30 days", "none"), ("Electronics", "14 days", "15%")]
    document = parsed(Sheet().block(FIRST).rows(rows).block(SECOND))
    assert paragraphs(document) == [FIRST, "\n".join("\t".join(row) for row in rows), SECOND]


def test_items_of_a_list_stay_lines() -> None:
    items = [f"{number}. {SECOND}" for number in (1, 2, 3)]
    sheet = Sheet().block(FIRST)
    for item in items:
        sheet.block(item, gap=0)
    assert parsed(sheet).text == FIRST + "\n\n" + "\n".join(items)


def test_short_lines_are_not_joined() -> None:
    address = "Halden Supply Co.\n12 Harbor Road\nPortland"
    assert parsed(Sheet().block(FIRST).block(address)).text == f"{FIRST}\n\n{address}"


def test_a_running_footer_stays_once_and_page_numbers_vanish() -> None:
    sheet = Sheet(running="Halden Supply - page {page} of 4")
    for _ in range(3):
        sheet.block(FIRST).add_page()
    document = parsed(sheet.block(SECOND))
    assert document.text.count("Halden Supply") == 1
    assert "Halden Supply" in document.text[: document.pages[0].end]
    assert parsed(Sheet(running="- {page} -").block(FIRST)).text == FIRST


def test_a_repeated_line_near_the_body_is_no_running_line() -> None:
    sheet = Sheet()
    for page in range(4):
        sheet.block("Total 412", gap=0).block(FIRST)
        if page < 3:
            sheet.add_page()
    assert parsed(sheet).text.count("Total 412") == 4


def test_words_divided_by_a_hyphen_are_whole_again() -> None:
    text = FIRST.replace("registered", "reg\u00adis\u00adtered").replace("registration", "regis\u00adtra\u00adtion")
    for width in range(90, 260, 10):
        assert "registration, which" in parsed(Sheet(width=width).block(text)).text.replace("\n", " ")


def test_documents_are_read_one_after_the_other_in_threads() -> None:
    data = Sheet().block(FIRST).block(SECOND).data()
    with ThreadPoolExecutor(4) as pool:
        read = [pool.submit(parse, data, "policy.pdf", LIMITS) for _ in range(20)]
    assert {future.result().text for future in read} == {f"{FIRST}\n\n{SECOND}"}


@for_all_rows(
    "matrix", ["1e38 0 0 1e38 0 0", "1 0 0 1 1e38 -1e38", "0 0 0 0 10 10", "-1 0 0 -1 300 300", "0 1 -1 0 9 9"]
)
@for_all_rows("box", ["0 0 600 800", "0 0 0 0", "-1e9 -1e9 1e9 1e9"])
def test_text_in_impossible_places_is_read_nevertheless(matrix: str, box: str) -> None:
    content = f"BT /F1 12 Tf {matrix} Tm (Hidden words) Tj ET BT /F1 12 Tf 1 0 0 1 72 700 Tm (Seen words) Tj ET"
    assert "Seen words" in parse(raw(content, box), "odd.pdf", LIMITS).text
