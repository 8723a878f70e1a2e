"""PDFs that lie about their size: a clear error or their text, at once."""

import pytest

from citewell_documents.errors import DocumentEmpty, DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing import ParseLimits, parse
from document_material.pdf_files import raw, stream

LIMITS = ParseLimits(max_pages=1_000, max_chars=100_000)
TEXT = "BT /F1 12 Tf 1 0 0 1 72 700 Tm (Only a few words) Tj ET"


def test_a_claim_of_a_million_pages_is_refused_before_any_is_read() -> None:  # A8
    data = raw(TEXT).replace(b"/Count 1 ", b"/Count 1000000 ")
    with pytest.raises(DocumentTooLarge, match="1,000,000 pages; the limit is 1,000"):
        parse(data, "claim.pdf", LIMITS)


def test_missing_pages_are_a_clear_error() -> None:  # A8
    with pytest.raises(DocumentUnreadable, match="page 2 cannot be read"):
        parse(raw(TEXT).replace(b"/Count 1 ", b"/Count 3 "), "missing.pdf", LIMITS)


def nested_pages(depth: int) -> bytes:
    levels = "".join(
        f"{10 + level} 0 obj\n<< /Type /Pages /Kids [{11 + level} 0 R] /Count 1 >>\nendobj\n" for level in range(depth)
    )
    return (
        raw(TEXT)
        .replace(b"/Pages 2 0 R", b"/Pages 10 0 R")
        .replace(
            b"trailer",
            f"{levels}{10 + depth} 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\ntrailer".encode(),
        )
    )


def test_a_tree_of_pages_is_read_or_refused() -> None:
    assert parse(nested_pages(10), "tree.pdf", LIMITS).text == "Only a few words"
    with pytest.raises((DocumentUnreadable, DocumentEmpty)):
        parse(nested_pages(50_000), "deep.pdf", LIMITS)


def test_pages_that_contain_themselves_are_refused() -> None:
    with pytest.raises((DocumentUnreadable, DocumentEmpty)):
        parse(raw(TEXT).replace(b"/Kids [3 0 R]", b"/Kids [2 0 R]"), "circle.pdf", LIMITS)


def test_a_huge_page_costs_nothing() -> None:
    assert parse(raw(TEXT, "0 0 1e30 1e30"), "huge.pdf", LIMITS).text == "Only a few words"


def test_codes_that_no_character_has_are_no_crash() -> None:  # A8
    three_bytes = (
        "1 begincodespacerange <61> <7A> endcodespacerange 1 begincodespacerange <C00000> <FFFFFF> endcodespacerange "
        "1 begincidrange <61> <7A> 1 endcidrange 1 begincidrange <C00000> <FFFFFF> 1 endcidrange"
    )
    information = "/CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >>"
    fonts = (
        "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding 8 0 R /DescendantFonts [7 0 R] >>",
        f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A {information} >>",
        stream(three_bytes, "/Type /CMap /CMapName /A"),
    )
    data = raw("BT /F1 12 Tf 1 0 0 1 72 700 Tm (\xe0\xe0\xe0cm) Tj ET", objects=fonts).replace(b"/F1 4 0", b"/F1 6 0")
    assert "cm" in parse(data, "codes.pdf", LIMITS).text
