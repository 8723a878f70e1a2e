"""Finds what has a kind by its form, a year, a weekday, a code, a number or a name, and exchanges it for its like."""

import re
from typing import NamedTuple

from citewell_verify.entities.names import find_names
from citewell_verify.text.words import content_stems

_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_FORMS = re.compile(
    r"(?P<year>(?<![\w.,-])(?:19|20)\d\d(?:년|(?![\w-]|[.,]\d))|재작년|작년|지난해|올해|내년)"
    r"|(?P<quarter>\bQ[1-4]\b|\bH[12]\b|[1-4]분기|[상하]반기)"
    rf"|(?P<month>(?<=\s)(?:{_MONTHS})\b|(?<![\w.])\d{{1,2}}월)"
    r"|(?P<weekday>\b(?:mon|tues|wednes|thurs|fri|satur|sun|week|work)(?:days?|ends?)\b|[월화수목금토일]요일|주말|평일)"
    r"|(?P<season>\b(?:spring|summer|autumn|winter)\b|여름|가을|겨울|봄(?=철|에))"
    r"|(?P<code>(?<![\w-])[a-z]+-?\d[a-z\d]*(?:[.-][a-z\d]+)*|(?<![\w'’.-])(?-i:(?!^)[A-HJ-Z])(?![a-z\d'’.-]))"
    r"|(?P<number>(?<![\w.,-])(?:제 ?|number |no\.? ?)?\d+(?:[.,-]\d+)*"
    r"(?:(?:번|호기|호|급|층|조|항|팀|과|반|차|회)(?=[^가-힣]|[가-힣]{0,3}$|[은는이가의에도을를]))?)",
    re.IGNORECASE,
)
_YEAR_AWAY = re.compile(
    r"(?P<before>\b(?:a|one|the) year (?:earlier|before)\b|\bthe (?:previous|prior) year\b|전년|전 ?해|[1일]년 ?전)"
    r"|\b(?:a|one|the) year (?:later|after)\b|\bthe (?:next|following) year\b|다음 ?해|[1일]년 ?[뒤후]",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


class Value(NamedTuple):
    """`text[start:end]` is of this kind."""

    kind: str
    start: int
    end: int


def values_of(text: str) -> list[Value]:
    forms = [Value(match.lastgroup or "", *match.span()) for match in _FORMS.finditer(text)]
    taken = {place for value in forms for place in range(value.start, value.end)}
    names = [
        Value("name", name.start, name.start + len(name.text))
        for name in find_names(text)
        if name.sure or name.start == 0
    ]
    return sorted(
        [*forms, *(name for name in names if taken.isdisjoint(range(name.start, name.end)))], key=lambda v: v.start
    )


def exchanged(fragment: str, earlier: str) -> str | None:
    """`earlier` with the values of the fragment for its own; None if one has no like, or the fragment says more."""
    new, old = values_of(fragment), values_of(earlier)
    rest = fragment
    for value in new:
        rest = rest.replace(fragment[value.start : value.end], " ", 1)
    if not new or not set(content_stems(rest)) <= set(content_stems(earlier)):
        return None
    places: list[tuple[int, int, str]] = []
    for value in new:
        like = next((earlier_value for earlier_value in old if earlier_value.kind == value.kind), None)
        if like is None:
            return None
        old.remove(like)
        places.append((like.start, like.end, fragment[value.start : value.end]))
    text = earlier
    for start, end, put in sorted(places, reverse=True):
        text = text[:start] + put + text[end:]
    return text


def dated(fragment: str, earlier: str) -> str:
    """The fragment with the year itself for "a year earlier", if the question before names one."""
    year, away = _YEAR.search(earlier), _YEAR_AWAY.search(fragment)
    if not year or not away:
        return fragment
    meant = int(year[0]) + (-1 if away["before"] else 1)
    return fragment.replace(away[0], f"{meant}년" if "가" <= away[0][-1] <= "힣" else str(meant), 1)
