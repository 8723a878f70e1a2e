"""An answer that is read while it is checked: first its verified sentences, then the rest of it.

The numbers of citations count in the order of their first appearance, because the numbers of the finished answer are
known only at its end.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citewell_verify.correction.released_text import Released, ReleasedText, Source
from domain.documents.text_marks import in_words

_MARKER = re.compile(r"\[(\d+)\]")
_SPACE = re.compile(r"\s")
_REPLACED = "\n\n---\n\n*The text above was replaced after all of the answer had been checked:*\n\n"
_REPLACED_KOREAN = "\n\n---\n\n*위의 글은 답변 전체를 검증한 뒤 다음 글로 바뀌었습니다:*\n\n"
LINKED_MARKER = re.compile(r"\[\[(\d+)\]\]\(([^()\s]*)\)")
"""A citation with its link, as it is written: `[[1]](https://…)`."""

Json = Mapping[str, Any]
Link = Callable[[Source], str | None]
"""Returns the address of a place in a document; None if it has none."""


def no_link(_: Source) -> None:
    return None


def without_links(text: str) -> str:
    return LINKED_MARKER.sub(r"[\1]", text)


@dataclass(frozen=True, slots=True)
class _Marker:
    """A citation marker at `answer[start:end]`, with its number and the `link` to the cited place."""

    start: int
    end: int
    number: int
    link: str | None


class ContinuousText:
    """The text of one question for one reader.

    `take` returns the text to show after an event; `finished` returns the final query, whose answer begins with all the
    text that was shown. Without `relabelled`, `take` must not be called, and the numbers stay those of the query.
    """

    def __init__(self, link: Link = no_link, *, relabelled: bool = True) -> None:
        self.shown = ""
        self._link = link
        self._relabelled = relabelled
        self._released = ReleasedText()
        self._labels: dict[int, int] = {}
        self._links: list[str | None] = []

    def take(self, type_: str, data: Json) -> str:
        return "".join(map(self._show, self._released.take(type_, data)))

    def _show(self, released: Released) -> str:
        count = len(released.sources)
        last = list(_MARKER.finditer(released.text))[-count:] if count else []
        markers = [
            _Marker(match.start(), match.end(), int(match[1]), self._link(released.sources[int(match[1])]))
            for match in last
        ]
        text, _ = self._written(released.text, markers)
        self._links += [marker.link for marker in markers]
        self.shown += text
        return text

    def finished(self, query: Json, *, korean: bool = False) -> dict[str, Any]:
        """The query with its answer, references, citations and sentences in the numbers of this text; offsets count in
        the returned answer."""
        # The labels so far belong to the numbers of the draft.
        self._labels = {}
        markers = _markers_of(query["answer"], query["citations"], self._link)
        # Markers that were shown keep their links: a check and a citation may point at different words of a source.
        links = [*self._links, *(marker.link for marker in markers[len(self._links) :])]
        shown = [replace(marker, link=link) for marker, link in zip(markers, links, strict=False)]
        text, moved = self._written(query["answer"], shown)
        before = ""
        if not text.startswith(self.shown):
            text, moved = self._written(query["answer"], markers)
            before = self.shown + (_REPLACED_KOREAN if korean else _REPLACED)
        return self._read_here(query, before + text, lambda place: len(before) + moved(place))

    def _written(self, answer: str, markers: Sequence[_Marker]) -> tuple[str, Callable[[int], int]]:
        pieces: list[str] = []
        shifts = [(0, 0)]
        position = 0
        for marker in markers:
            label = f"[{self._label(marker.number)}]"
            linked = f"[{label}]({marker.link})" if marker.link else label
            pieces += answer[position : marker.start], linked
            position = marker.end
            shifts.append((marker.end, shifts[-1][1] + len(linked) - (marker.end - marker.start)))
        text = "".join([*pieces, answer[position:]])
        return text, lambda place: place + next(shift for end, shift in reversed(shifts) if end <= place)

    def _label(self, number: int) -> int:
        return self._labels.setdefault(number, len(self._labels) + 1) if self._relabelled else number

    def _read_here(self, query: Json, answer: str, moved: Callable[[int], int]) -> dict[str, Any]:
        citations = [
            {
                **citation,
                "number": self._label(citation["number"]),
                "answer_start": moved(citation["answer_start"]),
                "answer_end": moved(citation["answer_end"]),
            }
            for citation in query["citations"]
        ]
        read = {**query, "answer": answer, "citations": citations, "references": self._references(query)}
        if query["verification"]:
            sentences = [
                {**sentence, "start": moved(sentence["start"]), "end": moved(sentence["end"])}
                for sentence in query["verification"]["sentences"]
            ]
            read["verification"] = {**query["verification"], "sentences": sentences}
        return read

    def _references(self, query: Json) -> list[str]:
        lines: list[tuple[int, str]] = []
        for line in query["references"]:
            match = _MARKER.match(line)
            number = self._label(int(match[1])) if match else len(query["references"])
            lines.append((number, f"[{number}]{line[match.end() :]}" if match else line))
        return [line for _, line in sorted(lines)]


def linked_references(query: Json, link: Link, literal: Callable[[str], str] = str) -> list[str]:
    """The references as Markdown; `literal` escapes the parts that are not Markdown, the names of documents."""
    first = {citation["number"]: citation for citation in reversed(query["citations"])}
    return [_linked_reference(line, first, link, literal) for line in query["references"]]


def _linked_reference(line: str, first: Mapping[int, Json], link: Link, literal: Callable[[str], str]) -> str:
    match = _MARKER.match(line)
    cited = first.get(int(match[1])) if match else None
    line += mark_of(cited) if cited else ""
    address = link(cited) if cited else None
    if not (match and address):
        return literal(line)
    return f"[{match[0]}]({address}) {literal(line[match.end() :].lstrip())}"


def mark_of(place: Json) -> str:
    """The marks of a place in words: its text was recognised in a picture, stands for a picture, or is in other
    documents, too. Empty without marks.
    """
    said = in_words(place)
    return f" ({said})" if said else ""


def cited_places(answer: str, citations: Sequence[Json]) -> list[tuple[int, int, Json]]:
    """The start, the end and the citation of each marker of the answer that stands for a citation, in order."""
    places: dict[int, tuple[int, int, Json]] = {}
    for citation in citations:
        marker = f"[{citation['number']}]"
        start = answer.find(marker, citation["answer_end"])
        between = answer[citation["answer_end"] : start]
        if start < 0 or _SPACE.sub("", _MARKER.sub("", between)):
            start = answer.find(marker, citation["answer_start"])
        if start >= 0:
            places[start] = start, start + len(marker), citation
    return [places[start] for start in sorted(places)]


def _markers_of(answer: str, citations: Sequence[Json], link: Link) -> list[_Marker]:
    return [
        _Marker(start, end, citation["number"], link(citation))
        for start, end, citation in cited_places(answer, citations)
    ]
