"""Recognises reports of listed companies by cover and file name: US filings and Korean business reports."""

import re
from collections.abc import Iterable
from itertools import pairwise

from citewell_documents.document import ParsedDocument
from citewell_verify.entities.dates import find_dates

_COVER_PAGES, _COVER_CHARS = 3, 8_000
_FORMS = r"10-?K(?:SB|405|T)?|10-?QT?|8-?K|20-?F|40-?F|6-?K|11-?K"
_FORM = re.compile(rf"\bform[ \t]*({_FORMS})(/A)?(?![\w-])", re.IGNORECASE)
_PROXY = re.compile(r"(?:☒|☑|þ|\[[xX]\])\s*Definitive Proxy Statement", re.IGNORECASE)
_COVER_OF_PROXY = re.compile(r"\bschedule\s+14A\b", re.IGNORECASE)
_COMMISSION = re.compile(r"securities\s+and\s+exchange\s+commission", re.IGNORECASE)
_FILE_NUMBER = re.compile(r"\bcommission\s+file\s+n(?:o\b|umber)", re.IGNORECASE)
_PERIOD = re.compile(r"\b(?:year|period|quarter)\s+ended\s*:?|\bevent\s+reported\)?\s*:?", re.IGNORECASE)
# Exchanges that identify shares by letters, and exchanges that use numbers.
_LETTERED = (
    r"NASDAQ(?:[ -]?(?:[GC][SM]|Global(?: Select)?(?: Market)?|Capital Market))?|NYSE(?:[ -](?:American|Arca|MKT))?"
    r"|AMEX|CBOE|OTC(?:Q[BX]|[ -]?Markets?|BB)?|TSXV?|CSE|LSE|AIM|ASX|SGX|NSE|BSE|SIX|XETRA|ETR|FRA|FWB|EPA|AMS"
    r"|Euronext(?: [A-Z][a-z]{2,11})?"
)
_NUMBERED = (
    r"KRX|KOSPI|KOSDAQ|KONEX|코스피|코스닥|코넥스|유가증권시장|HKEX|SEHK|HKSE|TSE|TYO|JPX|TWSE|TPEX|SSE|SZSE|SHA|SHE"
)
_SIGN = r"(?-i:[A-Z]{1,5}(?:[.-][A-Z])?)"
# The last character of a Korean code may be a letter: 00680K.
_CODE = r"\d{4,5}|\d{5}[\dA-Z]"
_MARKS = r"[ \t*_\"'“‘]{0,6}"
# In running text a word may stand in the place of a ticker: "NYSE: A year of growth", "NASDAQ: RECORD HIGHS".
_NO_WORD = r"(?![\w&])(?!(?<=[: *_\"'“‘：][AI])[ ]{1,3}(?-i:[a-z]))(?![ ]{1,3}(?-i:[A-Z]{2}))"
_LISTED = re.compile(
    rf"(?<!\w)(?:(?:{_LETTERED}){_MARKS}[:：]{_MARKS}({_SIGN}){_NO_WORD}"
    rf"|(?:{_NUMBERED}){_MARKS}[:：]{_MARKS}({_CODE})(?![\w,]))",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    rf"\b(?:(?:ticker|stock)[ ]symbol|ticker|티커){_MARKS}[:：|\t]{_MARKS}({_SIGN}|{_CODE}){_NO_WORD}"
    rf"|\bunder[ ]the[ ](?:(?:trading|ticker|stock)[ ])?symbol[ ]{_MARKS}({_SIGN}){_NO_WORD}",
    re.IGNORECASE,
)
_SYMBOL = re.compile(rf"\btrading\s+symbol(?:\(?s\)?)?(?:\s*+[:：])?\s++({_SIGN})(?![\w.])", re.IGNORECASE)
_SYMBOL_CODE = re.compile(r"(?:종목|단축)\s?(?:코드|번호)\s*[:：]?\s*(\d{5}[\dA-Z])(?!\w)")
_TICKER = re.compile(_SIGN)
# No part of the pattern reaches into another line, because that line would be tried again from every line.
_KOREAN = re.compile(
    r"^[^\w\n]*([사반분감]\s*[업기사]\s*보\s*고\s*서)[^\w\n]{0,99}(?:\([^)\n]{0,99}\))?[^\w\n]*$", re.MULTILINE
)
_KOREAN_TYPES = frozenset(("사업보고서", "반기보고서", "분기보고서", "감사보고서"))
_KOREAN_COVER = re.compile(r"금융\s*위원회|사\s*업\s*연\s*도")
_KOREAN_PERIOD = re.compile(r"사\s*업\s*연\s*도")

_NAMED_FORM = re.compile(rf"(?<![A-Za-z0-9])({_FORMS}|DEF[ _-]?14A)([_/-]?A)?(?![A-Za-z0-9])", re.IGNORECASE)
_NAMED_KOREAN = re.compile("|".join(sorted(_KOREAN_TYPES)))
_NAMED_YEAR = re.compile(r"(?<!\d)(?<!\d[.-])(?:FY)?((?:19|20)\d{2})(?![\d]|[.-]\d)")
_NAMED_WORDS = frozenset("FORM SEC FY INC CORP LTD CO THE A AN K Q US UK EN KR DRAFT FINAL REV COPY SIGNED PDF".split())


def filing_in(document: ParsedDocument, filename: str) -> dict[str, str]:
    """Return ticker, year and filing_type from the cover, or else from the file name, as far as these have them."""
    pages = document.pages[:_COVER_PAGES]
    cover = document.text[: min(pages[-1].end, 2 * _COVER_CHARS) if pages else _COVER_CHARS]
    filing = _of_name(filename) | _of_cover(cover)
    if ticker := _ticker(cover):
        filing["ticker"] = ticker
    return filing


def _of_cover(cover: str) -> dict[str, str]:
    if _COMMISSION.search(cover):
        form = _FORM.search(cover)
        if form and _FILE_NUMBER.search(cover):
            return {"filing_type": _form(form[1], form[2])} | _year_after(_PERIOD, cover)
        if _COVER_OF_PROXY.search(cover) and _PROXY.search(cover):
            return {"filing_type": "DEF 14A"}
    if (korean := _KOREAN.search(cover)) and _KOREAN_COVER.search(cover):
        name = "".join(korean[1].split())
        if name in _KOREAN_TYPES:
            return {"filing_type": name} | _year_after(_KOREAN_PERIOD, cover, last=True)
    return {}


def _form(name: str, amendment: str | None) -> str:
    """The name of a form: `10k` becomes 10-K, and an amendment of that form 10-K/A."""
    letters = name.upper().replace("-", "")
    cut = 1 if letters[1].isalpha() else 2
    return f"{letters[:cut]}-{letters[cut:]}{'/A' if amendment else ''}"


def _year_after(phrase: re.Pattern[str], cover: str, *, last: bool = False) -> dict[str, str]:
    """The year of the first date after the phrase. With `last` the phrase is followed by a period from one day to
    another, and the year is that of its end.
    """
    for match in phrase.finditer(cover):
        years = [day.years for day in find_dates(cover[match.end() : match.end() + 100]) if day.years]
        if years:
            return {"year": f"{years[min(1, len(years) - 1) if last else 0][0]:04}"}
    return {}


def _ticker(cover: str) -> str | None:
    """The ticker of a cover that has exactly one; several tickers mean an article about companies."""
    listed = _only(match[1] or match[2] for match in _LISTED.finditer(cover))
    labelled = _only(match[1] or match[2] for match in _LABELLED.finditer(cover))
    code = _only(match[1] for match in _SYMBOL_CODE.finditer(cover))
    return _below_symbol(cover) or listed or labelled or code


def _below_symbol(cover: str) -> str | None:
    lines = cover.split("\n")
    for line, following in pairwise(lines):
        cells = line.split("\t")
        place = next((at for at, cell in enumerate(cells) if "trading symbol" in cell.lower()), None)
        if place is not None and len(cells) > 1:
            below = following.split("\t")[place : place + 1]
            return below[0].strip() if below and _TICKER.fullmatch(below[0].strip()) else None
    match = _SYMBOL.search(cover)
    return match[1] if match else None


def _of_name(filename: str) -> dict[str, str]:
    """The ticker, year and filing_type in the name of a file: `AAPL_10-K_2023.pdf` has all three.

    A name without a type of filing gives no certain facts.
    """
    stem = filename.rpartition(".")[0] or filename
    form, korean = _NAMED_FORM.search(stem), _NAMED_KOREAN.search(stem)
    if form:
        proxy = form[1].upper().startswith("DEF")
        filing = {"filing_type": "DEF 14A" if proxy else _form(form[1], form[2])}
        rest = f"{stem[: form.start()]} {stem[form.end() :]}"
    elif korean:
        filing, rest = {"filing_type": korean[0]}, stem
    else:
        return {}
    if year := _only(match[1] for match in _NAMED_YEAR.finditer(rest)):
        filing["year"] = year
    words = (word for word in re.split(r"[\s_\-()\[\],]+", rest) if word not in _NAMED_WORDS)
    if form and (ticker := _only(word for word in words if _TICKER.fullmatch(word))):
        filing["ticker"] = ticker
    return filing


def _only(values: Iterable[str]) -> str | None:
    different = set(values)
    return different.pop() if len(different) == 1 else None
