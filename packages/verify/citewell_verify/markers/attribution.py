"""Separates the content of a statement from phrases that name its source: "According to the AAPL 10-Q, …",
"(policy.pdf)".

The name of a source in such a phrase is no claim, so no word or figure of it needs evidence. A name that no source has
stays a part of the statement.
"""

import re
from collections.abc import Iterable, Sequence

from citewell_verify.markers.citable import SourceNames
from citewell_verify.markers.stripping import SAYS, STATED_IN

_LONGEST = 160  # characters of a phrase that names a source
_MOST_COMMAS = 4
_LEADS = re.compile(rf"\s*(?:(?P<weak>in|from|under)|according to|based on|per|as {STATED_IN}|as)\s+", re.IGNORECASE)
_REPORTS = re.compile(
    rf"\s*(?:,\s*)?(?:it (?:is (?:said|stated|noted) |{SAYS} )?that|it {SAYS},?)\s+|\s*,\s*", re.IGNORECASE
)
_SUBJECT = re.compile(rf"\s+{SAYS}(?:\s+that\b|\s*[:,])?\s+(?!(?:of|in|on|for|by)\b)", re.IGNORECASE)
_TRAILS = re.compile(rf"[,\s]\s*(?:according to|based on|per|as {STATED_IN})\s+", re.IGNORECASE)
_ENDS = re.compile(r"[\s.!。]*$")
_ENCLOSED = re.compile(rf"\s*(?:\((?P<round>[^()]{{1,{_LONGEST}}})\)|\[(?P<square>[^\[\]]{{1,{_LONGEST}}})\])")
_KOREAN = re.compile(r"(?P<says>에 (?:따르면|의하면|의거하면)|에서[는도]?|에[는도])\s*,?\s+|(?P<subject>[은는이가])\s+")
_KOREAN_REPORTS = re.compile(r"(?<=[다라])고 (?:\S+\s){0,3}?\S{1,12}다(?P<stop>[.\s]*)$")


def without_attribution(statement: str, sources: Sequence[SourceNames]) -> str:
    """Return the statement without phrases that only say from which of its `sources` it is.

    Such a phrase must name nothing else: "the 2022 report" is not the Annual Report 2023. The statement is unchanged if
    nothing else would be left. The time is linear in its length, except for its first and last characters.
    """
    if not sources:
        return statement
    content = statement
    for remove in (_without_lead, _without_subject, _without_trail, _without_korean_lead, _without_enclosed):
        left = remove(content, sources)
        content = left if sum(map(str.isalpha, left)) > 1 else content
    return content


def _without_lead(statement: str, sources: Sequence[SourceNames]) -> str:
    if not (lead := _LEADS.match(statement)):
        return statement
    for start, end in _ends_of_phrase(statement, lead.end()):
        name = statement[lead.end() : start]
        if lead[0].strip().lower() == "as":
            says = re.search(rf"\s+{SAYS}$", name, re.IGNORECASE)
            name = name[: says.start()] if says else ""
        if _names_one(name, sources, is_weak=bool(lead["weak"])):
            reports = _REPORTS.match(statement, end)
            return _capitalised(statement[reports.end() if reports else end :])
    return statement


def _ends_of_phrase(statement: str, position: int) -> list[tuple[int, int]]:
    """The commas that may end the phrase, the last one first, because a comma may stand within the name."""
    ends = [
        match.span() for match in re.finditer(r",\s+", statement[: position + _LONGEST]) if match.start() > position
    ]
    return ends[:_MOST_COMMAS][::-1]


def _without_subject(statement: str, sources: Sequence[SourceNames]) -> str:
    """The statement after a subject that names a source; "report" may be a verb, too."""
    for says in _SUBJECT.finditer(statement, 0, _LONGEST):
        if _names_one(statement[: says.start()], sources):
            return _capitalised(statement[says.end() :])
    return statement


def _without_trail(statement: str, sources: Sequence[SourceNames]) -> str:
    tail = statement[-_LONGEST:]
    for trail in reversed(list(_TRAILS.finditer(tail))[-_MOST_COMMAS:]):
        stop = _ENDS.search(tail)
        if stop and _names_one(tail[trail.end() : stop.start()], sources):
            return f"{statement[: len(statement) - len(tail) + trail.start()].rstrip(' ,')}{stop[0]}"
    return statement


def _without_korean_lead(statement: str, sources: Sequence[SourceNames]) -> str:
    for particle in list(_KOREAN.finditer(statement, 0, _LONGEST))[:_MOST_COMMAS]:
        is_weak = (particle["says"] or "").startswith("에서")
        if not _names_one(statement[: particle.start()], sources, is_weak=is_weak):
            continue
        left = statement[particle.end() :]
        reports = _KOREAN_REPORTS.search(left)
        if reports:
            return f"{left[: reports.start()]}{reports['stop']}"
        if particle["says"]:
            return left
    return statement


def _without_enclosed(statement: str, sources: Sequence[SourceNames]) -> str:
    def removed(group: re.Match[str]) -> str:
        name = group["round"] or group["square"]
        return "" if _names_one(name, sources, is_weak=True) else group[0]

    return _ENCLOSED.sub(removed, statement)


def _names_one(name: str, sources: Iterable[SourceNames], *, is_weak: bool = False) -> bool:
    return any(source.is_named_by(name, is_weak=is_weak) for source in sources)


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
