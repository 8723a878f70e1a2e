"""Dates in English and Korean text, as far as they are stated: a year, a decade, a month, a day."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
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
        ),
        start=1,
    )
    for name in names
}
_MONTH = rf"\b(?P<month>{'|'.join(_MONTHS)})\b\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>1\d{3}|20\d{2})"
_NUMERIC = r"(?<![\w./-]){0}(?![\w/-]|\.\d)"

# The first pattern that fits a place wins, so the fuller forms stand first.
_PATTERNS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}\s?년(?:\s?(?P<month>1[0-2]|0?[1-9])\s?월(?:\s?(?P<day>[0-3]?\d)\s?일)?)?(?!\s?간|대)",
        r"(?P<decade>1\d{2}0|20\d0)(?:'?s\b|\s?년대)",
        r"\b(?P<century>\d{1,2})(?:st|nd|rd|th)[\s-]centur(?:y|ies)|(?P<century_ko>\d{1,2})\s?세기",
        r"(?<!\d)(?P<month>1[0-2]|0?[1-9])\s?월(?:\s?(?P<day>[0-3]?\d)\s?일)?",
        _NUMERIC.format(rf"{_YEAR}[-./]\s?(?P<month>1[0-2]|0?[1-9])[-./]\s?(?P<day>[0-3]?\d)"),
        _NUMERIC.format(rf"(?P<month>1[0-2]|0?[1-9])/(?P<day>[0-3]?\d)/{_YEAR}"),
        rf"{_MONTH}\s{_DAY}\b(?:\s?,?\s{_YEAR}\b)?",
        rf"\b{_DAY}\s(?:of\s)?{_MONTH}(?:\s?,?\s{_YEAR}\b)?",
        rf"{_MONTH},?\s(?:of\s)?{_YEAR}\b",
        rf"(?<![\w.,$€£₩¥/])(?<!\d[–—-]){_YEAR}(?![\w%/]|[.,]\d|\s?(?:%|percent|million|billion|thousand|억|만|원|명|개))",
        rf"(?<=\d[–—-]){_YEAR}\b",
    )
]


@dataclass(frozen=True, slots=True)
class Date:
    """`text[start:end]` names this time. `years` is a range, first and last: one year, a decade or a century."""

    years: tuple[int, int] | None
    month: int | None
    day: int | None
    start: int
    end: int
    text: str

    def covers(self, other: "Date") -> bool:
        """Say whether a text that states `other` also states this date: `May 2020` covers `5 May 2020`."""
        if self.years is not None and (
            other.years is None or other.years[0] < self.years[0] or other.years[1] > self.years[1]
        ):
            return False
        return self.month in (None, other.month) and self.day in (None, other.day)


def find_dates(text: str) -> list[Date]:
    """Return the dates in `text` in order; none overlaps another."""
    found: list[Date] = []
    taken = [False] * (len(text) + 1)
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if not any(taken[match.start() : match.end()]):
                taken[match.start() : match.end()] = [True] * (match.end() - match.start())
                found.append(_date(match))
    return sorted(found, key=lambda date: date.start)


def _date(match: re.Match[str]) -> Date:
    parts = match.groupdict()
    return Date(_years(parts), _month(parts.get("month")), _int(parts.get("day")), *match.span(), match[0])


def _years(parts: dict[str, str | None]) -> tuple[int, int] | None:
    if year := parts.get("year"):
        return int(year), int(year)
    if decade := parts.get("decade"):
        return int(decade), int(decade) + 9
    if century := parts.get("century") or parts.get("century_ko"):
        return int(century) * 100 - 100, int(century) * 100
    return None


def _month(text: str | None) -> int | None:
    return None if text is None else _MONTHS.get(text.lower()) or int(text)


def _int(text: str | None) -> int | None:
    return None if text is None else int(text)
