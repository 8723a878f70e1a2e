"""A hundred questions about a folder of real files: `python -m benchmarks.answers.own_questions FOLDER` (V8).

Every file is read by the project's own parser and cut into passages as at ingestion; the passages are searched by words
and scored, gated, answered from and judged by the offline model, as in a query but without servers.
`own_questions.jsonl` beside this file holds the questions, the document that answers each, and the words that a reader
would accept, or that it has to be refused. An answer without those words, or with a piece that is no readable sentence,
is junk; junk that is marked High would be junk under a seal.
"""

import json
import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NotRequired, TypedDict

from rich.console import Console
from rich.table import Table

from benchmarks.answers.questions import confidence_in
from clients.embeddings import default_embedder
from clients.llm.offline.answering import compose_answer
from clients.llm.offline.meaning import Meaning
from clients.llm.offline.relevance import chunk_relevance
from clients.parsing import ParseLimits, parse
from domain.documents.chunks import split_document
from domain.documents.documents import indexed_text
from domain.errors import CitewellError
from domain.markers.stripping import plain_text
from domain.prompting.numbered_sources import Sources
from domain.query.modes import IDK
from domain.question import why_refused
from domain.text.readability import is_readable
from domain.text.sentences import split_sentences
from domain.text.words import content_stems, coverage
from domain.verdicts.confidence import ConfidenceLevel, level

QUESTIONS = Path(__file__).with_suffix(".jsonl")
LIMITS = ParseLimits(max_pages=5_000, max_chars=20_000_000)
_CHUNK_TOKENS, _OVERLAP_TOKENS, _RETRIEVED, _SHOWN, _LEAST_EVIDENCE = 220, 30, 20, 3, 0.2


class Record(TypedDict):
    """A line of the questions: `accept` holds the words that an answer has to have, each as a list of alternatives."""

    question: str
    document: str | None
    accept: NotRequired[list[list[str]]]
    refuse: NotRequired[bool]


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage of a file."""

    label: str
    text: str
    context: str
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of one question: useful, partly, junk, refused, or missed (refused, though it is answered)."""

    question: str
    answer: str
    worth: str
    is_high: bool


def read_folder(folder: Path) -> list[Piece]:
    """Return the passages of every file that can be read, in order of the files' names."""
    found: list[Piece] = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            document = parse(path.read_bytes(), path.name, LIMITS)
        except CitewellError:
            continue
        for chunk in split_document(document, chunk_tokens=_CHUNK_TOKENS, overlap_tokens=_OVERLAP_TOKENS):
            label = path.name if chunk.page is None else f"{path.name}, p.{chunk.page}"
            indexed = indexed_text(chunk.text, chunk.context)
            found.append(
                Piece(label, chunk.text, chunk.context or "", frozenset(content_stems(f"{path.name} {indexed}")))
            )
    return found


class Asker:
    """Answers questions from the passages of a folder."""

    def __init__(self, pieces: Sequence[Piece], meaning: Meaning) -> None:
        self._pieces, self._meaning = pieces, meaning
        having = Counter(stem for piece in pieces for stem in piece.stems)
        self._rarity = {stem: math.log(1 + len(pieces) / count) for stem, count in having.items()}

    def answer(self, question: str) -> tuple[str, float | None]:
        """Return the answer and the confidence in it; None for a refusal."""
        found = self._retrieved(question)
        if not found or why_refused(question, [f"{each.label}\n{each.context}\n{each.text}" for each in found]):
            return IDK, None
        scored = sorted(
            ((chunk_relevance(question, indexed_text(each.text, each.context), self._meaning), each) for each in found),
            key=lambda pair: -pair[0],
        )
        shown = [each for score, each in scored[:_SHOWN] if score >= _LEAST_EVIDENCE]
        sources = Sources.numbered(((each.label, each.text) for each in shown), [each.context for each in shown])
        answer = "".join(compose_answer(question, sources, IDK, self._meaning)) if shown else IDK
        return answer, None if answer == IDK else confidence_in(question, answer, sources, self._meaning)

    def _retrieved(self, question: str) -> list[Piece]:
        wanted = list(dict.fromkeys(content_stems(question)))
        scored = [
            (
                sum(self._rarity.get(stem, 0.0) for stem in wanted if stem in piece.stems)
                + coverage(wanted, piece.stems),
                place,
            )
            for place, piece in enumerate(self._pieces)
        ]
        best = sorted(scored, key=lambda pair: (-pair[0], pair[1]))[:_RETRIEVED]
        return [self._pieces[place] for score, place in best if score > 0]


def judged(record: Record, answer: str, confidence: float | None) -> Judged:
    """Judge one answer as its reader would, by the words that the record accepts."""
    question = record["question"]
    is_high = level(confidence) is ConfidenceLevel.HIGH
    return Judged(question, answer, _worth(record, answer, refused=confidence is None), is_high)


def _worth(record: Record, answer: str, *, refused: bool) -> str:
    accepted = record.get("accept")
    if accepted is None:
        return "refused" if refused else "junk"
    if refused:
        return "missed"
    said = plain_text(answer).text.casefold()
    hits = [any(word.casefold() in said for word in words) for words in accepted]
    readable = all(is_readable(each.text) for each in split_sentences(plain_text(answer).text))
    if all(hits) and readable:
        return "useful"
    return "partly" if any(hits) else "junk"


def main(folder: Path) -> None:
    records: list[Record] = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    asker = Asker(read_folder(folder), Meaning(default_embedder(), remembered=100_000))
    found = [judged(record, *asker.answer(record["question"])) for record in records]
    for each in found:
        mark = "High" if each.is_high else ""
        print(f"{each.worth:9}{mark:5}{each.question}")
        print(f"{'':14}{' '.join(each.answer.split())[:300]}")
    table = Table(title=f"{len(found)} questions about {folder.name}")
    for heading in ("marked", "useful", "partly", "junk", "refused rightly", "refused wrongly"):
        table.add_column(heading, justify="left" if heading == "marked" else "right")
    for name, chosen in (("High", True), ("other", False)):
        counts = Counter(each.worth for each in found if each.is_high is chosen)
        table.add_row(name, *(str(counts[worth]) for worth in ("useful", "partly", "junk", "refused", "missed")))
    Console().print(table)


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        raise SystemExit("usage: python -m benchmarks.answers.own_questions FOLDER")
    main(Path(sys.argv[1]))
