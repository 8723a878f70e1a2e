"""The header of a DART document: its title, its company, and the period that it reports on."""

import re

from citewell_documents.parsing.dart.markup import closed_up

_NAME = re.compile(r"<DOCUMENT-NAME\b[^<>]*>([^<>]{1,200})<")
_COMPANY = re.compile(r"<COMPANY-NAME\b[^<>]*>([^<>]{1,200})<")
_PERIOD = re.compile(r'\bAUNIT="PERIOD(FROM|TO)"\s+AUNITVALUE="(\d{4})(\d{2})(\d{2})"')
_TERM = re.compile(r"제\s{0,5}(\d{1,3})\s{0,5}기")
_COVER = 60_000
_DAY = re.compile(r"(\d{4})년\s*(\d{1,2})월\s*(\d{1,2})일")
_SAID_COMPANY = re.compile(
    r"^회\s{0,9}사\s{0,9}명\s{0,9}:\s{0,9}(\S.{1,60})$|\A(\S.{1,60})\n+(?:연\s?결\s?)?재\s?무\s?제\s?표\s?에\s?대\s?한$",
    re.MULTILINE,
)
_REPORT = re.compile(r"^([사반분감연]\S*보고서)$", re.MULTILINE)
_COVER_TEXT = 3_000


def found_in_header(text: str) -> dict[str, str | None]:
    """Return title ("한빛전자(주) 사업보고서 제12기 2025.01.01 ~ 2025.12.31"), company, filing_type and year."""
    cover = text[:_COVER]
    name, company, term = (form.search(cover) for form in (_NAME, _COMPANY, _TERM))
    days = {end: ".".join(day) for end, *day in _PERIOD.findall(cover)}
    return _found(company, name, term, [days[end] for end in ("FROM", "TO") if end in days])


def found_on_cover(text: str) -> dict[str, str | None]:
    """Return the same facts from the text of the cover, for a document without a header."""
    cover = text[:_COVER_TEXT]
    name, company, term = (form.search(cover) for form in (_REPORT, _SAID_COMPANY, _TERM))
    days = [f"{year}.{month:0>2}.{day:0>2}" for year, month, day in _DAY.findall(cover)]
    return _found(company, name, term, days[:2])


def _found(
    company: re.Match[str] | None, name: re.Match[str] | None, term: re.Match[str] | None, days: list[str]
) -> dict[str, str | None]:
    known = [
        company and " ".join(next(filter(None, company.groups())).split()),
        name and closed_up(" ".join(name[1].split())),
        term and f"제{term[1]}기",
        " ~ ".join(days) if len(days) == 2 and days[0] < days[1] else None,
    ]
    return {
        "title": " ".join(filter(None, known)),
        "company": known[0],
        "filing_type": known[1],
        "year": days[1][:4] if known[3] else None,
        "language": "ko",
    }
