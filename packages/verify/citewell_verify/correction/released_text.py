"""The part of an answer that may be read while the rest of it is still being checked (N1).

It is fed with the events of a question. A sentence is released when it and all sentences before it have passed their
checks, in the words and with the citations that it will have in the answer. Nothing is released after the first
sentence that failed, because its repair is known only at the end.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from citewell_verify.answers.parser import parse_answer
from citewell_verify.correction.corrected_answer import markers_after

_WRONG = "inaccurate"
Source = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Released:
    """A sentence with the white space before it, and with its markers in `text`.

    `sources` are the places of its evidence, by the numbers of these markers, which are those of the draft.
    """

    text: str
    sources: Mapping[int, Source]


class ReleasedText:
    """Collects the events of one question and releases sentences in their order."""

    def __init__(self) -> None:
        self._round = 0
        self._begin_again()
        self._frozen = False

    def _begin_again(self) -> None:
        self._draft = ""
        self._passed: dict[int, Mapping[str, Any]] = {}
        self._next = self._end = 0

    def take(self, type_: str, data: Mapping[str, Any]) -> list[Released]:
        if self._frozen or data.get("round", self._round) < self._round:
            return []
        if data.get("round", self._round) > self._round:
            # Released text cannot be taken back, and another draft would not continue it.
            self._frozen = self._next > 0
            self._begin_again()
            self._round = data["round"]
        match type_:
            case "draft":
                self._write(data["start"], data["text"])
            case "sentence.verified":
                self._passed[data["sentence"]] = data
            case _:
                return []
        return list(self._released())

    def _write(self, start: int, text: str) -> None:
        """Take words of the draft. A model that starts again with a shorter text takes words back, and the verdicts on
        them with them.
        """
        if start < len(self._draft):
            self._frozen = self._next > 0
            self._passed.clear()
        self._draft = self._draft[:start] + text

    def _released(self) -> Iterator[Released]:
        if self._frozen or not self._passed:
            return
        reading = parse_answer(self._draft)
        # A sentence that claims and cites nothing stays as it is, but is released with the next one that passed.
        for index in range(self._next, len(reading.said)):
            said = reading.said[index]
            if index not in self._passed:
                if said.claim or said.marks:
                    return
                continue
            sources = self._sources(self._passed[index], reading.text[said.start : said.end])
            if sources is None:
                return
            words = reading.text[self._end : said.end]
            yield Released(words + markers_after(reading.text, said.end, sorted(sources)), sources)
            self._next, self._end = index + 1, said.end

    def _sources(self, passed: Mapping[str, Any], words: str) -> Mapping[int, Source] | None:
        if passed["text"] != words:
            return None
        return {
            citation["citation_number"]: citation["source"] or {}
            for citation in passed["citations"]
            if citation["citation_number"] is not None and citation["status"] != _WRONG
        }
