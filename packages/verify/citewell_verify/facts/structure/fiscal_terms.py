"""Terms of a company in Korean reports: 제31기, 당기, 전기말, and the days that a report gives for them (V2)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from citewell_verify.entities.dates import Date, find_dates

_WHICH = "당|전전|전"
_TERM = re.compile(
    rf"제\s{{0,2}}(?P<number>\d{{1,3}})\s{{0,2}}(?:\((?P<inner>{_WHICH})\)\s{{0,2}})?기\s?(?P<point>[말초](?![가-힣]))?"
    rf"(?:\s?\((?P<outer>{_WHICH})기?\))?"
    rf"|(?<![가-힣])(?P<which>{_WHICH})\s?기\s?(?P<at>[말초])?(?![가-힣])"
)
_DEFINED = re.compile(
    rf"제\s{{0,2}}(\d{{1,3}})\s{{0,2}}(?:\((?:{_WHICH})\)\s{{0,2}})?기(?!\s?(?:[가-힣]*재무|\d?\s?[반분]기))"
)
_BEHIND = 80


@dataclass(frozen=True, slots=True)
class FiscalTerm:
    """Term `number` of a company or, seen from its report, `which`: 당, 전 or 전전; `point`: its end or beginning."""

    number: int | None
    which: str
    point: str

    def may_be(self, term: "FiscalTerm") -> bool:
        """True if both name the same term; 당기 alone says nothing about 제31기."""
        if (self.point == "초") is not (term.point == "초"):
            return False
        if self.number is not None and term.number is not None:
            return self.number == term.number
        return bool(self.which) and self.which == term.which


@lru_cache(maxsize=8192)
def terms_in(text: str) -> tuple[FiscalTerm, ...]:
    return tuple(
        FiscalTerm(
            int(match["number"]) if match["number"] else None,
            match["inner"] or match["outer"] or match["which"] or "",
            match["point"] or match["at"] or "",
        )
        for match in _TERM.finditer(text)
    )


def without_terms(text: str) -> str:
    return " ".join(_TERM.sub(" ", text).split())


def days_of_terms(text: str) -> dict[int, tuple[Date, ...]]:
    """Return the days that lines of a text give for numbered terms: "제 31 기 : 2025년 12월 31일 현재".

    A term has its last day, unless it lasts from one calendar year into the next: what "2025년" means then is open.
    """
    known: dict[int, tuple[Date, ...]] = {}
    for line in text.split("\n"):
        numbered = [*_DEFINED.finditer(line)] if "기" in line and len(line) < 2 * _BEHIND and "\t" not in line else []
        if len(numbered) == 1:
            days = find_dates(line[numbered[0].end() :][:_BEHIND])
            if len({day.years for day in days}) == 1:
                known.setdefault(int(numbered[0][1]), tuple(days[-1:]))
    return known


def days_of(head: str, known: Mapping[int, tuple[Date, ...]]) -> tuple[Date, ...]:
    return tuple(day for term in terms_in(head) if term.number is not None for day in known.get(term.number, ()))
