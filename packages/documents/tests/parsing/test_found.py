"""Metadata found in files: language by reading, tables and front matter of Markdown."""

import pytest

from citewell_documents.parsing import ParseLimits, parse
from citewell_documents.parsing.language import language_of, with_findings
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=10, max_chars=100_000)
ENGLISH = "The refund policy covers goods that were bought within thirty days and are still in their box. " * 3
KOREAN = "환불 정책은 구매 후 삼십일 이내에 원래 포장 상태로 남아 있는 상품에 적용됩니다. " * 3
GERMAN = "Die Rückgabe ist innerhalb von dreißig Tagen möglich, sofern die Ware noch in der Verpackung ist. " * 3


@for_all_rows(
    ("text", "declared", "language"),
    [
        (ENGLISH, None, "en"),
        (GERMAN, None, "de"),
        (GERMAN, "en", "en"),
        (KOREAN, "en", "ko"),
        ("返品は購入後三十日以内に可能です。商品は元の包装のままでなければなりません。" * 4, None, "ja"),
        ("Short.", None, None),
        ("Short.", "fr", "fr"),
        ("Revenue 1 Cost 2 Net 3 Tax 4 Q1 Q2 EUR KRW AAPL MSFT GOOG TSLA NVDA AMZN META " * 6, None, None),
    ],
)
def test_a_language_is_told_where_it_is_certain(text: str, declared: str | None, language: str | None) -> None:
    assert language_of(text, declared) == language


def test_markdown_has_tables_and_front_matter() -> None:  # N3
    source = "---\ntitle: 'Our: fees'\nauthors: [Ann, Bob]\ndate: 2024-01-05\nlang: ko-KR\ntags:\n  - x\n---\n# H\n\n"
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"
    document = with_findings(parse(f"{source}{table}\n\n- item\n".encode(), "fees.md", LIMITS), "fees.md")
    (place,) = document.tables
    assert document.text[place.start : place.end] == table
    assert document.text[place.start : place.header_end] == "| a | b |\n|---|---|"
    assert document.found == {
        "title": "Our: fees",
        "author": "Ann, Bob",
        "date": "2024-01-05",
        "language": "ko",
        "tags": "x",
    }


@pytest.mark.parametrize("matter", ["a: [", "title: {a: b}", "date: 2024-13-45", "title: &a [*a]"])
def test_front_matter_that_says_nothing_is_text(matter: str) -> None:
    assert with_findings(parse(f"---\n{matter}\n---\nText".encode(), "a.md", LIMITS), "a.md").found == {}


def test_a_plain_text_is_not_searched_for_a_head() -> None:
    assert with_findings(parse(b"Title: Refunds\nAuthor: Ann\n\nText.", "a.txt", LIMITS), "a.txt").found == {}
