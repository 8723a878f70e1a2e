"""The metadata that documents state, and nothing uncertain (S1.3)."""

from time import process_time

import pytest

from citewell_documents.document import ParsedDocument, Section
from citewell_documents.filings import filing_in
from citewell_documents.metadata import completed, described, iso_date, iso_language, searched_name
from verify_material.rows import for_all_rows

US_COVER = """UNITED STATES
SECURITIES AND EXCHANGE COMMISSION
FORM {form}
For the {period} ended {day}
Commission File Number: 001-36743
Title of each class\tTrading Symbol(s)\tName of each exchange
Common Stock\tAAPL\tThe Nasdaq Stock Market LLC"""
KOREAN_COVER = """사 업 보 고 서
(제 55 기)
사업연도 2022년 12월 01일 부터 2023년 11월 30일 까지
금융위원회 한국거래소 귀중
종목코드: 005930"""


@for_all_rows(
    ("text", "filing"),
    [
        (
            US_COVER.format(form="10-K", period="fiscal year", day="September 30, 2023"),
            {"filing_type": "10-K", "year": "2023", "ticker": "AAPL"},
        ),
        (
            US_COVER.format(form="10-Q/A", period="quarterly period", day="30 June 2024"),
            {"filing_type": "10-Q/A", "year": "2024", "ticker": "AAPL"},
        ),
        (KOREAN_COVER, {"filing_type": "사업보고서", "year": "2023", "ticker": "005930"}),
        ("Apple (NASDAQ: AAPL) rose.", {"ticker": "AAPL"}),
        ("Apple (NASDAQ: AAPL) rose, Ford (NYSE: F) fell.", {}),
        ("Apple, NASDAQ: AAPL, rose. Ford, NYSE: F, fell.", {}),
        ("Its Form 10-K for the year ended May 2020 lies with the Securities and Exchange Commission.", {}),
        ("우리 회사의 사업보고서는 2023년에 나왔다.", {}),
    ],
)
def test_covers_of_filings_tell_ticker_year_and_type(text: str, filing: dict[str, str]) -> None:  # S1.3
    assert filing_in(ParsedDocument(text), "report.txt") == filing


# S1.3: the ticker of our own example filing was not found, because it is not in parentheses.
@for_all_rows(
    ("text", "ticker"),
    [
        ("NASDAQ: NRVX. Quarterly report under Section 13.", "NRVX"),
        ("Nasdaq: X", "X"),
        ("(NYSE: X)", "X"),
        ("NYSE:BRK.B", "BRK.B"),
        ("Listed on NYSE Arca: GLD, among others.", "GLD"),
        ("(Nasdaq Global Select Market: AAPL)", "AAPL"),
        ("**NASDAQ:** NRVX", "NRVX"),
        ('(NYSE: "F")', "F"),
        ("(TSX: SHOP)", "SHOP"),
        ("(Euronext Paris: MC)", "MC"),
        ("KRX: 005930", "005930"),
        ("삼성전자(KRX: 005930)는", "005930"),
        ("코스닥：035720", "035720"),
        ("KRX: 00680K", "00680K"),
        ("(SEHK: 0700)", "0700"),
        ("(TYO: 7203)", "7203"),
        ("Its shares are traded on the New York Stock Exchange under the symbol “F”.", "F"),
        ("Ticker symbol: NRVX", "NRVX"),
        ("| Ticker | NRVX |", "NRVX"),
        ("티커: AAPL", "AAPL"),
        ("종목번호 005930", "005930"),
        ("NASDAQ: AAPL. Later again (NASDAQ: AAPL).", "AAPL"),
        ("NYSE: A year of growth", None),
        ("NASDAQ: RECORD HIGHS", None),
        ("NYSE: The exchange of New York", None),
        ("Nasdaq: up 2 %", None),
        ("KOSPI: 2,600", None),
        ("KOSPI: 260012345", None),
        ("DISEASE: ABC", None),
        ("See the ticker at the top.", None),
    ],
)
def test_a_ticker_is_found_however_the_exchange_is_named(text: str, ticker: str | None) -> None:
    assert filing_in(ParsedDocument(text), "report.txt") == ({"ticker": ticker} if ticker else {})


@for_all_rows("piece", ["NASDAQ: ", "NASDAQ:   **", "KRX: 0", "ticker | ", "under the symbol ", "종목 코드   "])
@pytest.mark.timeout(30)  # for ever, if a pattern backtracks
def test_a_hostile_cover_comes_to_an_end(piece: str) -> None:
    assert filing_in(ParsedDocument(piece * (16_000 // len(piece))), "report.txt") == {}


@for_all_rows(
    ("name", "filing"),
    [
        ("AAPL_10-K_2023.pdf", {"filing_type": "10-K", "year": "2023", "ticker": "AAPL"}),
        ("BRK.B_DEF14A_2022.pdf", {"filing_type": "DEF 14A", "year": "2022", "ticker": "BRK.B"}),
        ("msft-10q-2024.htm", {"filing_type": "10-Q", "year": "2024"}),
        ("TSLA 8-K 2024-05-02.pdf", {"filing_type": "8-K", "ticker": "TSLA"}),
        ("삼성전자_사업보고서_2023.pdf", {"filing_type": "사업보고서", "year": "2023"}),
        ("[삼성전자]사업보고서(2024.03.12).pdf", {"filing_type": "사업보고서"}),
        ("POLICY_2024.md", {}),
    ],
)
def test_names_of_files_tell_what_the_text_does_not(name: str, filing: dict[str, str]) -> None:  # S1.3
    assert filing_in(ParsedDocument("text"), name) == filing


def test_the_cover_is_believed_before_the_name() -> None:
    text = US_COVER.format(form="10-K", period="fiscal year", day="September 30, 2023")
    assert filing_in(ParsedDocument(text), "MSFT_10-Q_2019.pdf") == filing_in(ParsedDocument(text), "a.pdf")


@for_all_rows(
    ("stated", "day"),
    [
        ("2023", "2023"),
        ("2023-12-06T20:52:11Z", "2023-12-06"),
        ("D:20231206120000+09'00'", "2023-12-06"),
        ("Tue, 05 Mar 2024 10:00:00 +0900", "2024-03-05"),
        ("2024년 3월 5일", "2024-03-05"),
        ("2024/03/05", "2024-03-05"),
        ("May 2024", "2024-05"),
        ("3/4/2024", None),
        ("2023-13-01", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates_become_iso_dates(stated: str, day: str | None) -> None:
    assert iso_date(stated) == day


@for_all_rows(("tag", "code"), [("en-US", "en"), ("ko_KR", "ko"), ("eng", "en"), ("haw", None), ("", None)])
def test_languages_become_codes_of_two_letters(tag: str, code: str | None) -> None:
    assert iso_language(tag) == code


def sections(*paths: tuple[str, ...]) -> tuple[Section, ...]:
    return tuple(Section(path[-1], path, place, place + 1) for place, path in enumerate(paths))


@for_all_rows(
    ("document", "title"),
    [
        (ParsedDocument("x" * 50, sections=sections(("A",), ("A", "B"))), "A"),
        (ParsedDocument("x" * 50, sections=sections(("A",), ("B",))), None),
        (ParsedDocument("x" * 50, sections=(Section("A", ("A",), 9, 50),)), None),
        (ParsedDocument("x" * 50, sections=(Section("lines 1–2", (), 0, 50),)), None),
        (ParsedDocument("x" * 50, sections=(Section("A", ("A",), 0, 9), Section("lines 1–2", (), 9, 50))), None),
        (ParsedDocument("x", found={"title": "Said", "author": "python-docx"}), "Said"),
        (ParsedDocument("x", found={"title": "Microsoft Word - a.doc"}), None),
    ],
)
def test_a_title_is_said_or_stands_above_all(document: ParsedDocument, title: str | None) -> None:
    assert completed(document, "a.md") == ({"title": title} if title else {})


def test_a_cover_of_nothing_but_line_breaks_is_read_in_bounded_time() -> None:  # F9
    started = process_time()
    for text in ("\n" * 16_000, "사업보고서 " + "(" * 16_000, "trading symbol" + " " * 16_000):
        assert filing_in(ParsedDocument(text), "cover.pdf") == {}
    assert process_time() - started < 2


def test_a_document_is_found_by_its_title_or_file_and_by_which_filing_it_is() -> None:  # S1.1, S1.3
    filing = {"title": "Annual report", "filing_type": "10-K", "year": "2031", "ticker": "OSTG"}
    assert searched_name("scan_7.pdf", filing) == "Annual report OSTG 10-K 2031"
    assert searched_name("scan_7.pdf", described({"title": "Kilns 2031"}, filing)) == "Kilns 2031 OSTG 10-K"
    assert searched_name("OSTG_10-K_2031.pdf", {**filing, "title": ""}) == "OSTG 10-K 2031"
    assert searched_name("notes_of_may.md", {"title": "", "year": "2031"}) == "notes of may"
    assert searched_name("a.md", described({"title": 7}, {"title": "x" * 900})) == "x" * 200


def test_the_head_of_every_filing_is_no_title() -> None:  # S1.3
    heading = "UNITED STATES SECURITIES AND EXCHANGE COMMISSION"
    assert "title" not in completed(ParsedDocument("x" * 50, sections=sections((heading,))), "a.pdf")
