"""Normalises the metadata that a document states about itself, and omits what is uncertain."""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import PurePath

from citewell_documents.document import ParsedDocument
from citewell_documents.filings import filing_in
from citewell_verify.entities.dates import find_dates

_TITLE_SHARE = 0.1
_MOST_NAME = 200  # characters of a document's name
_MOST = 500  # characters: a longer text is no subject or title, or hostile
# Titles and authors that programs write automatically, and the heading that every filing has.
_MEANINGLESS = re.compile(
    r"(?:microsoft (?:word|powerpoint|excel)(?: - .*)?|untitled.*|document\d*|presentation\d*|slide 1|unknown|none"
    r"|title|author|admin|administrator|user|owner|python-docx|openpyxl|un-named|제목 없음|무제"
    r"|(?:united states )?securities and exchange commission.*)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w-]+")
_OF_FILING = ("ticker", "filing_type", "year")
# This matches also the compact form, as in `D:20240131120000Z`.
_ISO = re.compile(r"(?:D:)?(\d{4})(?:-?(\d{2})(?:-?(\d{2}))?)?(?:(?:[T ]|(?<=\d{8})\d{2}).*)?")
_PAIRS = (
    "eng:en kor:ko fra:fr fre:fr deu:de ger:de jpn:ja zho:zh chi:zh spa:es ita:it por:pt nld:nl dut:nl rus:ru ara:ar"
)
_TWO_LETTERS: dict[str, str] = {pair[:3]: pair[4:] for pair in _PAIRS.split()}


def completed(document: ParsedDocument, filename: str) -> dict[str, str]:
    """Return `document.found` in normal form, with the facts that the first pages and the file name tell for certain.

    Keys: title, author, date (ISO 8601), language (ISO 639-1), ticker, year, filing_type, and keys of the format
    (description, tags). `year` is that of the period that a filing reports on, as a string of 4 digits, so that it can
    be compared as a number and as text.
    """
    said = {key: " ".join(value.split()) for key, value in document.found.items()}
    for key in ("title", "author"):
        if key in said and _MEANINGLESS.fullmatch(said[key]):
            del said[key]
    title = said.get("title") or _first_heading(document)
    normal: Mapping[str, str | None] = {
        "title": title,
        "date": iso_date(said.get("date", "")),
        "language": iso_language(said.get("language", "")),
        **filing_in(document, filename),
    }
    return {key: value[:_MOST] for key, value in {**said, **normal}.items() if value}


def described(given: Mapping[str, object], of_file: Mapping[str, str]) -> dict[str, object]:
    """The known metadata of a document: values that were `given` with it take precedence over those of its file."""
    known = {**of_file, **given}
    if not isinstance(given.get("title"), str) or not given["title"]:
        known["title"] = of_file.get("title")
    return known


def searched_name(filename: str, known: Mapping[str, object]) -> str:
    """The name of a document that each of its passages is found by: its title, or else its file name, and the facts of
    a filing.
    """
    title = known.get("title")
    # A file name such as `AAPL_10-K_2023.pdf` says what the document is.
    plain = PurePath(filename).stem.replace("_", " ")
    name = (title if isinstance(title, str) and title else plain)[:_MOST_NAME]
    words = _WORD.findall(name.casefold())
    facts = [str(known[key]) for key in _OF_FILING if key in known] if "filing_type" in known else []
    return " ".join((name, *(fact for fact in facts if fact.casefold() not in words)))


def iso_date(text: str) -> str | None:
    """Return a stated day, month or year in ISO 8601; None if there is no date, or several, or it is not certain."""
    if match := _ISO.fullmatch(text.strip()):
        return _valid(group for group in match.groups() if group)
    dates = find_dates(text)
    if len(dates) != 1 or re.match(r"\d{1,2}/", dates[0].text):  # 3/4/2024 may be a day in March or in April
        return None
    (stated,) = dates
    if stated.years is None or stated.years[0] != stated.years[1]:
        return None
    parts = [f"{stated.years[0]:04}", *(f"{part:02}" for part in (stated.month, stated.day) if part)]
    return _valid(parts)


def iso_language(text: str) -> str | None:
    """Return the ISO 639-1 code of a language tag such as `en-US`, `ko_KR` or `eng`."""
    code = re.split(r"[-_,;. ]", text.strip().lower(), maxsplit=1)[0]
    code = _TWO_LETTERS.get(code, code)
    return code if len(code) == 2 and code.isascii() and code.isalpha() else None


def _valid(parts: Iterable[str]) -> str | None:
    numbers = [*parts]
    try:
        date(*(int(number) for number in [*numbers, "1", "1"][:3]))
    except ValueError:
        return None
    return "-".join(numbers) if numbers[0] >= "1000" else None


def _first_heading(document: ParsedDocument) -> str | None:
    sections = document.sections
    if not sections or sections[0].start > _TITLE_SHARE * len(document.text):
        return None
    title = sections[0].title
    is_title = all(section.path[:1] == (title,) for section in sections) and not _MEANINGLESS.fullmatch(title)
    return title if is_title else None
