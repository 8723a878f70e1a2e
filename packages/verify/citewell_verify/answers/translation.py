"""Translates the citations of an answer to `[†N]`, whatever form its system uses, so that all readers agree on them
(N2); removes the model's own list of sources below the answer, and writes a list of the sources that are really cited.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citewell_verify.markers.citable import Citable
from citewell_verify.markers.foreign import foreign_markers
from citewell_verify.markers.parser import Marker, cited_markers
from citewell_verify.markers.places import spliced
from citewell_verify.text.cache import text_cache

Edit = tuple[int, int, str]
_MOST_SHOWN = 5
_MOST_CHARS = 200_000  # characters of remembered answers: eight readers of a draft ask for its text without the list
_ENTRY = re.compile(
    r"[\s>]*(?:[-*+•]\s+)?[*_]{0,2}(?:[\[(【〔]?[†^]?(?P<number>\d{1,3})(?:[\])】〕]|[.:)](?=\s))+|(?P<raised>[¹²³⁴-⁹]{1,2}))[*_]{0,2}[:.]?\s*(?P<name>\S.{0,300}?)\s*"
)
_RAISED = str.maketrans("¹²³⁴⁵⁶⁷⁸⁹⁰", "1234567890")
_LIST_WITH_ZERO = re.compile(r"\[\s?(?:\d{1,3}\s?[,;]\s?){1,20}\d{1,3}\s?\](?=[ \t]*(?:[.,;:!?。]|\n|\Z))")


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
class Translation:
    """The translation of an answer. `edits` are (start, end, replacement) in the answer as given, in order. `unread`
    are the (start, end) of texts that look like citations but name no source. `from_zero`: numbers were read as
    counting from 0.
    """

    text: str
    edits: tuple[Edit, ...] = ()
    unread: tuple[tuple[int, int], ...] = ()
    from_zero: bool = False


def translated(answer: str, sources: Citable, first_number: int | None = None) -> Translation:
    """Translate the citations of `answer`.

    `first_number` is the number that the answer gives the first source. None: 1, or 0 if the answer cites 0 and not the
    number of the last source. A list of references in the answer that gives sources other numbers counts before it.
    """
    known = cited_markers(answer, sources)
    foreign = foreign_markers(answer, sources, known)
    own = own_numbers(answer, sources)
    cited = {number for marker in (*known, *foreign.numbered) for number in marker.numbers}
    from_zero = not own and (first_number == 0 or (first_number is None and 0 in cited and max(cited) < sources.count))
    if from_zero:
        known = [*known, *_lists_with_zero(answer, known)]
    shift = int(from_zero)
    edits: list[Edit] = [
        (marker.start, marker.end, _written(marker, own, shift))
        for marker in known
        if (own or from_zero) and marker.numbers and not marker.missing
    ]
    edits += [(marker.start, marker.end, _written(marker, own, shift)) for marker in foreign.numbered]
    edits += [(marker.start, marker.end, _written(marker, {}, 0)) for marker in foreign.named]
    edits += [(*_with_space(answer, start, end), "") for start, end in (*foreign.unread, *foreign.silent)]
    edits = _apart(edits)
    body = len(strip_references(answer)) if own else len(answer)
    edits = [edit for edit in edits if edit[0] < body]
    return Translation(spliced(answer, edits), tuple(edits), tuple(sorted(foreign.unread)), from_zero and 0 in cited)


def remarks(answer: str, unread: Sequence[Sequence[int]], *, from_zero: bool) -> list[str]:
    """Return remarks for users about citations of `answer` that were read in a surprising way; see `Translation`."""
    issues: list[str] = []
    if unread:
        shown = ", ".join(dict.fromkeys(f"“{answer[start:end]}”" for start, end in unread[:_MOST_SHOWN]))
        issues.append(f"{len(unread)} citations name none of the sources and were left out before judging: {shown}.")
    if from_zero:
        issues.append("The answer's numbers begin at 0, so 0 was read as source 1; send first_number to say otherwise.")
    return issues


def own_numbers(answer: str, sources: Citable) -> dict[int, tuple[int, ...] | str]:
    """Return what each number means in an answer's own list of references: sources, or a name that no source has.

    Empty if there is no list, or if no entry has another number than the source that it names.
    """
    tail = answer[len(strip_references(answer)) :]
    entries = {int(match["number"] or match["raised"].translate(_RAISED)): match["name"] for match in _entries(tail)}
    named = {number: sources.named(_without_link(name)) for number, name in entries.items()}
    if not any(numbers and number not in numbers for number, numbers in named.items()):
        return {}
    return {number: numbers or _without_link(entries[number]) for number, numbers in named.items()}


def _entries(tail: str) -> list[re.Match[str]]:
    lines = [
        re.sub(r"^[\s#*_>]*[^\W\d][\w ]{2,30}[:：][\s*_]*(?=[\[(]?[†^]?\d)", "", line) for line in tail.splitlines()
    ]
    parts = [part for line in lines for part in re.split(r"[,;]\s+(?=[\[【(][†^]?\d)", line)]
    return [match for part in parts if (match := _ENTRY.fullmatch(part))]


def _without_link(name: str) -> str:
    linked = re.match(r"\[([^\[\]]+)\]\([^()\s]*\)", name)
    return (linked[1] if linked else name).strip(' .*_`"')


def _lists_with_zero(answer: str, known: Sequence[Marker]) -> list[Marker]:
    places = [(marker.start, marker.end) for marker in known]
    return [
        Marker(match.start(), match.end(), tuple(map(int, re.findall(r"\d+", match[0]))))
        for match in _LIST_WITH_ZERO.finditer(answer)
        if not any(start < match.end() and match.start() < end for start, end in places)
    ]


def _written(marker: Marker, own: Mapping[int, tuple[int, ...] | str], shift: int) -> str:
    written: list[str] = []
    for number in marker.numbers:
        meant = own.get(number, (number + shift,))
        written += [f"[Source: {meant}]"] if isinstance(meant, str) else [f"[†{source}]" for source in meant]
    return "".join(dict.fromkeys(written))


def _with_space(answer: str, start: int, end: int) -> tuple[int, int]:
    """Extend the place by the space before it, or by the space after it at the beginning of a line."""
    if start and answer[start - 1] in " \t":
        return start - 1, end
    is_first = not start or answer[start - 1] == "\n"
    return start, end + (is_first and answer[end : end + 1] == " ")


def _apart(edits: Sequence[Edit]) -> list[Edit]:
    """The edits without overlaps, as two texts that are left out one after the other share the space between them."""
    apart: list[Edit] = []
    for start, end, written in sorted(edits):
        first = max(start, apart[-1][1]) if apart else start
        apart.append((first, max(first, end), written))
    return apart


@dataclass(frozen=True, slots=True)
class _Line:
    bare: str
    whole: str
    leads: bool
    is_listed: bool
    cites: bool

    @property
    def names_document(self) -> bool:
        """True if the text names a document.

        An address in the marker itself, `[1](https://…)`, may also cite for a sentence after it.
        """
        words = self.whole if self.leads and not _ENDS_LIKE_PROSE.search(self.bare) else self.bare
        return bool(_DOCUMENT.search(words)) and not _SENTENCE.search(self.bare)

    @property
    def is_entry(self) -> bool:
        return self.leads or self.names_document

    @property
    def heads_list(self) -> bool:
        """True for a heading of a list of sources, alone or with the list on its line: `Sources: [1] a.pdf, [2] b.pdf`.

        `Source: [1]` is neither: it is a citation.
        """
        if _LIKELY_HEADING.fullmatch(self.bare):
            return not self.cites
        return bool(_HEADED_LINE.match(self.bare)) and self.names_document


def references(labels: Sequence[str]) -> list[str]:
    """Return `[1] policy.pdf, p.3`, … for the labels of the cited sources in the order of their new numbers (S5.5)."""
    return [f"[{number}] {label}" for number, label in enumerate(labels, start=1)]


@text_cache(_MOST_CHARS)
def strip_references(answer: str) -> str:
    """Return `answer` without a list of sources at its end (References, Sources, 참고문헌, 출처, or unheaded).

    The result is a prefix of `answer`: all of it if it has no such list or consists of the list alone. A section is a
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
    """Return how many of the first `count` lines precede a list of sources at their end; `count` if there is no
    list.
    """
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
