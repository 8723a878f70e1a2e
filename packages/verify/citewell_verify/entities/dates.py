"""Finds dates in English and Korean text, as precise as stated: a century, a decade, a year, a month, a day."""

import re
from dataclasses import dataclass

from citewell_verify.entities.quantities import ORDINALS, latin_letters

_MONTHS = (
    ("january", "jan"),
    ("february", "feb"),
    ("march", "mar"),
    ("april", "apr"),
    ("may",),
    ("june", "jun"),
    ("july", "jul"),
    ("august", "aug"),
    ("september", "sept", "sep"),
    ("october", "oct"),
    ("november", "nov"),
    ("december", "dec"),
)
_MONTH_NUMBERS = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names}

_YEAR = r"(?P<year>1\d{3}|20\d{2})"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_MONTH = rf"\b(?P<month>{'|'.join(_MONTH_NUMBERS)})\b\.?"
_MONTH_NUMBER = r"(?P<month>1[0-2]|0?[1-9])"
_DAY_NUMBER = r"(?P<day>[12]\d|3[01]|0?[1-9])"
_LONGEST_SPAN = 9  # years from the first to the last of `2007-08`
_ORDINAL = "|".join(name for name in ORDINALS if name.isascii())
_MAY_DATE = re.compile(r"\d|centur", re.IGNORECASE)  # most sentences have neither, and so no date

# The first pattern that matches a place wins, so fuller forms come first.
_PATTERNS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}\s?년(?:\s?{_MONTH_NUMBER}\s?월(?:\s?{_DAY_NUMBER}\s?일)?)?(?!\s?간|대)",
        r"(?P<decade>1\d{2}0|20\d0)(?:\s?['’]?\s?s\b|\s?년대)",
        rf"\b(?P<century>\d{{1,2}}|{_ORDINAL})(?:st|nd|rd|th)?[\s-](?:centur(?:y|ies))\b|(?P<korean>\d{{1,2}})\s?세기",
        rf"(?<!\d){_MONTH_NUMBER}\s?월(?:\s?{_DAY_NUMBER}\s?일)?",
        rf"(?<![\w./-]){_YEAR}(?:-|/|\.\s?){_MONTH_NUMBER}(?:-|/|\.\s?){_DAY_NUMBER}(?![A-Za-z0-9_/-]|\.\d)",
        rf"(?<![\w./-]){_MONTH_NUMBER}/{_DAY_NUMBER}/{_YEAR}(?![A-Za-z0-9_/-])",
        rf"{_MONTH}\s{_DAY}\b(?:\s?,?\s{_YEAR}(?![A-Za-z0-9_]))?",
        rf"\b{_DAY}\s(?:of\s)?{_MONTH}(?:\s?,?\s{_YEAR}(?![A-Za-z0-9_]))?",
        rf"{_MONTH},?\s(?:of\s)?{_YEAR}(?![A-Za-z0-9_])",
        rf"(?<=\d[–—-]){_YEAR}(?![A-Za-z0-9_])",
        r"(?<=(?<!\d)(?:1\d|20)\d\d[-–—/])(?P<last>\d\d)(?![\w/–—-])",
        rf"(?<![\w.,$€£₩¥/]){_YEAR}(?![\w%/]|[.,]\d|\s?(?:%|percent|million|billion|억|만|원|명|개))",
    )
]


@dataclass(frozen=True, slots=True)
class Date:
    """A date: `text`, at `start` of the whole text, names it. `years` is (first, last) of a year, a decade or a
    century.

    Parts that are not stated are None.
    """

    years: tuple[int, int] | None
    month: int | None
    day: int | None
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def follows_from(self, stated: "Date") -> bool:
        """Return whether a text with the date `stated` also states this date: `May 2020` follows from `5 May 2020`.

        The year may be missing in `stated` if month and day agree: "5 September this year".
        """
        if self.month not in (None, stated.month) or self.day not in (None, stated.day):
            return False
        if self.years is None:
            return True
        if stated.years is None:
            return self.day is not None
        return self.years[0] <= stated.years[0] and stated.years[1] <= self.years[1]


def find_dates(text: str) -> list[Date]:
    if not _MAY_DATE.search(text):
        return []
    text = latin_letters(text)
    taken = bytearray(len(text))
    dates: list[Date] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            date = None if any(taken[start:end]) else _date(match)
            if date:
                taken[start:end] = b"\1" * (end - start)
                dates.append(date)
    return sorted(dates, key=lambda date: date.start)


def _date(match: re.Match[str]) -> Date | None:
    """The date of a match. `2007-04` is a month, because a span must end in a later year than it begins."""
    parts = match.groupdict()
    if parts.get("last") and not _years(parts, match):
        return None
    month, day = parts.get("month"), parts.get("day")
    return Date(
        years=_years(parts, match),
        month=(_MONTH_NUMBERS.get(month.lower()) or int(month)) if month else None,
        day=int(day) if day else None,
        start=match.start(),
        text=match[0],
    )


def _years(parts: dict[str, str | None], match: re.Match[str]) -> tuple[int, int] | None:
    if last := parts.get("last"):
        first = int(match.string[match.start() - 5 : match.start() - 1])
        span = (int(last) - first) % 100
        return (first + span, first + span) if 0 < span <= _LONGEST_SPAN else None
    if year := parts.get("year"):
        return int(year), int(year)
    if decade := parts.get("decade"):
        # "The 1900s" more often means the century than its first ten years.
        return int(decade), int(decade) + (99 if decade.endswith("00") else 9)
    if century := parts.get("century") or parts.get("korean"):
        number = int(ORDINALS.get(century.lower()) or century)
        return number * 100 - 100, number * 100
    return None
