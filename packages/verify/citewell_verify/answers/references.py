"""Removes the model's own list of sources below an answer, and writes one of the sources actually cited."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citewell_verify.markers.parser import cited_markers

_DRESSING = r"[\s#*_>:：\[\]]*"
_SURE_HEADING = re.compile(
    rf"{_DRESSING}(?:references?(?: list)?|bibliography|works cited|참고\s?문헌){_DRESSING}", re.IGNORECASE
)
# These may also head a part of the answer itself, as in "Sources: advertising, subscriptions".
_LIKELY_HEADING = re.compile(
    rf"{_DRESSING}(?:(?:cited )?sources?(?: cited| used)?|citations?|footnotes?|참고\s?자료|출처(?: 목록)?){_DRESSING}",
    re.IGNORECASE,
)
_HEADED_LINE = re.compile(
    rf"{_DRESSING}(?:references?|sources?|citations?|참고\s?문헌|출처)[*_]*[:：][*_]*", re.IGNORECASE
)
_BULLET = re.compile(r"[\s>]*(?:[-*+•·]|\(?\d{1,3}[.)])\s")
_LEADING_NUMBER = re.compile(rf"(?:{_BULLET.pattern})?\s*[*_]*[\[【〔［][†^]?\s?\d")
_RULE = re.compile(r"(?:-{3,}|\*{3,}|_{3,})?")
_DOCUMENT = re.compile(
    r"\.(?:pdf|md|txt|docx?|html?|xlsx?|csv|pptx?)\b|\bpp?\.\s?\d|\bpages?\s\d|\d\s?(?:쪽|페이지)|https?://",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"\w{4,}[.!?。]\s*$")
_ENDS_LIKE_PROSE = re.compile(r"[.!?。]\s*$")


@dataclass(frozen=True, slots=True)
class _Line:
    bare: str
    whole: str
    leads: bool
    is_listed: bool
    cites: bool

    @property
    def names_document(self) -> bool:
        """Whether the text names a document.

        An address in the marker itself, `[1](https://…)`, may also cite for a sentence after it.
        """
        words = self.whole if self.leads and not _ENDS_LIKE_PROSE.search(self.bare) else self.bare
        return bool(_DOCUMENT.search(words)) and not _SENTENCE.search(self.bare)

    @property
    def is_entry(self) -> bool:
        return self.leads or self.names_document

    @property
    def heads_list(self) -> bool:
        """Say whether this is a heading, or heading and list on one line: `Sources: [1] a.pdf, [2] b.pdf`.

        `Source: [1]` is neither: it cites.
        """
        if _LIKELY_HEADING.fullmatch(self.bare):
            return not self.cites
        return bool(_HEADED_LINE.match(self.bare)) and self.names_document


def references(labels: Sequence[str]) -> list[str]:
    """Return `[1] policy.pdf, p.3`, … for the labels of the cited sources in the order of their new numbers (S5.5)."""
    return [f"[{number}] {label}" for number, label in enumerate(labels, start=1)]


def strip_references(answer: str) -> str:
    """Return `answer` without a list of sources at its end (References, Sources, 참고문헌, 출처, or unheaded).

    The result is a prefix of `answer`: all of it if it has no such list or consists of nothing else. A section is a
    list only if each of its lines is an entry, so prose below a heading "Sources" is never lost (S5.5).
    """
    lines = answer.splitlines(keepends=True)
    count = len(lines)
    while (shorter := _without_last_list(lines, count)) < count:
        count = shorter
    if count == len(lines):
        return answer
    while count and _RULE.fullmatch(lines[count - 1].strip()):
        count -= 1
    return "".join(lines[:count]).rstrip() or answer


def _without_last_list(lines: Sequence[str], count: int) -> int:
    """Return how many of the first `count` lines precede the list that ends them; `count` if none does."""
    unheaded, sure, labelled = count, True, True
    for index in range(count - 1, -1, -1):
        if _RULE.fullmatch(lines[index].strip()):
            continue
        line = _read(lines[index])
        if _SURE_HEADING.fullmatch(line.bare) or (sure and line.heads_list):
            return index
        if not line.is_entry and not line.is_listed:
            break
        sure = sure and line.is_entry
        labelled = labelled and line.leads and line.names_document
        unheaded = index if labelled else unheaded
    return unheaded


def _read(line: str) -> _Line:
    markers = cited_markers(line)
    starts, ends = [0, *(marker.end for marker in markers)], [*(marker.start for marker in markers), len(line)]
    return _Line(
        "".join(line[start:end] for start, end in zip(starts, ends, strict=True)).strip(),
        line,
        leads=bool(_LEADING_NUMBER.match(line)),
        is_listed=bool(_BULLET.match(line)),
        cites=bool(markers) and bool(re.search("[:：]", line[: markers[0].start])),
    )
