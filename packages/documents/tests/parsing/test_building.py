"""Blocks become one text with exact places (N3)."""

import pytest

from citewell_documents.document import Page, Table
from citewell_documents.errors import DocumentTooLarge
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.text_builder import DocumentBuilder


def build(max_pages: int = 10, max_chars: int = 1000) -> DocumentBuilder:
    return DocumentBuilder("report.docx", ParseLimits(max_pages=max_pages, max_chars=max_chars))


def test_sections_tables_and_pages_slice_the_text() -> None:
    # N3
    document = build()
    document.page(1)
    document.heading("Returns", (1,))
    document.paragraph("Thirty  days.\nWith receipt.\n\n\x00")
    document.page(2)
    document.page(3)
    document.heading("Fees", (2,))
    document.table([["", ""], ["Fee", "Euro"], ["Late\nreturn", "5"]], has_header=True)
    parsed = document.build({"title": " Policy\n2026 ", "author": None})

    assert parsed.text == "Returns\n\nThirty days.\nWith receipt.\n\nFees\n\nFee\tEuro\nLate return\t5"
    assert [parsed.text[page.start : page.end] for page in parsed.pages] == [
        "Returns\n\nThirty days.\nWith receipt.",
        "",
        "Fees\n\nFee\tEuro\nLate return\t5",
    ]
    assert [(section.title, section.path) for section in parsed.sections] == [
        ("Returns", ("Returns",)),
        ("Fees", ("Returns", "Fees")),
    ]
    (table,) = parsed.tables
    assert parsed.text[table.start : table.header_end] == "Fee\tEuro"
    assert parsed.text[table.start : table.end] == "Fee\tEuro\nLate return\t5"
    assert parsed.found == {"title": "Policy 2026"}


def test_a_table_of_one_row_has_no_header() -> None:
    document = build()
    document.table([["a", "b"]], has_header=True)
    assert document.build().tables == (Table(0, 3, 0),)


def test_pages_without_text_are_empty_pages() -> None:
    document = build()
    document.page(1)
    assert document.build().pages == (Page(1, 0, 0),)


def test_what_is_too_long_is_refused_at_once() -> None:
    # A8
    document = build(max_pages=1, max_chars=10)
    document.page(1)
    with pytest.raises(DocumentTooLarge, match="1 pages"):
        document.page(2)
    with pytest.raises(DocumentTooLarge, match="10 characters"):
        document.paragraph("eleven chars")
