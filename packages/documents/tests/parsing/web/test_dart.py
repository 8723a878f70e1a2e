"""Reports of the Korean system DART: their sections, tables with heads and units, and what is broken in them (N3)."""

import contextlib
import time
from itertools import pairwise

import pytest

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEmpty, DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing import ParseLimits, parse
from document_material.dart_files import PAGE, REPORT
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=3, max_chars=100_000)


@pytest.fixture(scope="module")
def report() -> ParsedDocument:
    return parse(REPORT.encode(), "20260312000001.xml", LIMITS)


def table_of(document: ParsedDocument, words: str) -> tuple[str, str]:
    """The heads of the table in which the words stand, and all of it."""
    table = next(table_ for table_ in document.tables if words in document.text[table_.start : table_.end])
    return document.text[table.start : table.header_end], document.text[table.start : table.end]


def section_of(document: ParsedDocument, words: str) -> tuple[str, ...]:
    at = document.text.index(words)
    return next(section.path for section in document.sections if section.start <= at < section.end)


def test_sections_notes_and_statements_are_headings(report: ParsedDocument) -> None:  # N3
    assert section_of(report, "본사는 대전") == ("II. 사업의 내용", "1. 사업의 개요")
    assert section_of(report, "12,840") == ("III. 재무에 관한 사항", "2. 재무제표", "재무상태표")
    assert section_of(report, "기계장치") == ("III. 재무에 관한 사항", "주석", "2. 유형자산")


def test_every_section_and_table_is_a_slice_of_the_text(report: ParsedDocument) -> None:  # N3
    for section in report.sections:
        assert report.text[section.start :].startswith(section.title)
    assert all(before.end == after.start for before, after in pairwise(report.sections))
    assert [block.kind for block in report.blocks if block.kind == "table"] == ["table"] * len(report.tables)


def test_details_and_sums_below_one_period_are_one_column(report: ParsedDocument) -> None:  # V2
    heads, table = table_of(report, "재고자산")
    assert heads == "과목\t제 7(당) 기\t제 6(전) 기"
    assert table.split("\n")[2:4] == ["Ⅰ.유동자산\t12,840\t11,305", "1.현금및현금성자산 <주석3>\t4,120\t3,970"]
    assert report.text[: report.text.index(heads)].rstrip().endswith("(단위 : 백만원)")


def test_rows_of_names_above_figures_are_heads_though_nothing_marks_them(report: ParsedDocument) -> None:  # V2
    heads, _ = table_of(report, "기계장치")
    assert heads == "구분\t장부금액 기초\t장부금액 기말\t비고"
    assert "(단위: 천원)\n\n구분" in report.text


def test_what_only_looks_like_markup_is_text(report: ParsedDocument) -> None:  # A8
    assert "주요 사업\n당사는 R&D와 정밀 부품을 <주력>으로 합니다.\n본사는" in report.text
    assert "다음과 같습니다.<당기>" in report.text
    assert "99999" not in report.text
    assert "seal.jpg" not in report.text
    assert "대표이사 확인서" in report.text


def test_the_header_names_company_report_term_and_period(report: ParsedDocument) -> None:  # N3
    assert report.found == {
        "title": "가온정밀(주) 사업보고서 제7기 2025.01.01 ~ 2025.12.31",
        "company": "가온정밀(주)",
        "filing_type": "사업보고서",
        "year": "2025",
        "language": "ko",
    }


def test_an_old_file_that_is_cp949_and_says_utf_8_reads_the_same(report: ParsedDocument) -> None:  # A8
    assert parse(REPORT.encode("cp949"), "old.xml", LIMITS).text == report.text


def test_a_page_of_the_viewer_has_the_same_headings_and_tables() -> None:  # N3
    page = parse(PAGE.replace("utf-8", "euc-kr").encode("cp949"), "page.html", LIMITS)
    assert page.found["title"] == "가온정밀 주식회사 반기보고서 제7기 2025.01.01 ~ 2025.06.30"
    assert section_of(page, "1,234") == ("III. 재무에 관한 사항", "4. 재무제표", "현금흐름표")
    assert table_of(page, "1,234")[0] == "과목\t제 7 기 반기"


def test_a_part_of_a_file_is_refused_with_what_to_do() -> None:  # A8
    with pytest.raises(DocumentUnreadable, match="a part is missing; download it from DART anew"):
        parse(REPORT[: len(REPORT) // 2].encode(), "a.xml", LIMITS)


def test_a_report_without_text_and_one_that_is_too_long_are_refused() -> None:  # A8
    with pytest.raises(DocumentEmpty):
        parse(b"<DOCUMENT><DOCUMENT-NAME>x</DOCUMENT-NAME><BODY></BODY></DOCUMENT>", "a.xml", LIMITS)
    with pytest.raises(DocumentTooLarge):
        parse(REPORT.encode(), "a.xml", ParseLimits(max_pages=3, max_chars=300))


@for_all_rows(
    "piece",
    [
        "<P>",
        "<TABLE><TR><TD>",
        '<P A="',
        "<IMG>",
        "<TITLE>",
        "<!--",
        "<P><SPAN B",
        "<h1>",
        '<P><SPAN USERMARK="',
        "<P ",
    ],
)
def test_time_grows_with_the_size_of_a_hostile_report(piece: str) -> None:  # A8
    took: list[float] = []
    for size in (10_000, 40_000):
        source = f"<DOCUMENT><DOCUMENT-NAME>x</DOCUMENT-NAME><BODY><P>글</P>{piece * (size // len(piece))}</DOCUMENT>"
        begun = time.process_time()
        with contextlib.suppress(DocumentUnreadable, DocumentTooLarge):
            parse(source.encode(), "a.xml", LIMITS)
        took.append(time.process_time() - begun)
    assert took[1] < 8 * took[0] + 0.2


@pytest.mark.parametrize("piece", ["<p ", "<p class=part ", "<p class=part>", "<td background"])
def test_time_grows_with_the_size_of_a_hostile_page_of_the_viewer(piece: str) -> None:  # A8
    took: list[float] = []
    for size in (10_000, 40_000):
        page = PAGE.replace("</body>", f"{piece * (size // len(piece))}</body>")
        assert piece in page
        begun = time.process_time()
        with contextlib.suppress(DocumentUnreadable, DocumentTooLarge):
            parse(page.encode(), "a.html", LIMITS)
        took.append(time.process_time() - begun)
    assert took[1] < 8 * took[0] + 0.2
