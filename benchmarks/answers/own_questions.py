"""130 questions about a folder of real files: `python -m benchmarks.answers.own_questions FOLDER` (V8).

Every file is read by the project's own parser and cut into passages as at ingestion; the passages are searched by words
and scored, gated, answered from and judged by the offline model, as in a query but without servers.
`own_questions.jsonl` beside this file holds the questions, the document that answers each, and the words that a reader
would accept, or that it has to be refused. An answer without those words, or with a piece that is no readable sentence,
is junk; junk that is marked High would be junk under a seal. A refusal shows the passages that mention what was asked:
it tells what was found if those words are there. The questions of round 2 were written after the first hundred had been
looked at.
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
from clients.llm.offline.passage_relevance import chunk_relevance
from clients.parsing import ParseLimits, parse
from domain.documents.chunks import split_document
from domain.documents.documents import indexed_text
from domain.errors import CitewellError
from domain.markers.stripping import plain_text
from domain.prompting.numbered_sources import Sources
from domain.query.modes import IDK
from domain.question import mentions, why_refused
from domain.question.question_parts import is_greeting
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
    round: NotRequired[int]


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage of a file."""

    label: str
    text: str
    context: str
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with the confidence in it, or a refusal (None) with its reason and the passages shown beside it."""

    answer: str
    confidence: float | None = None
    reason: str = ""
    mentioned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of one question: useful, partly, junk, refused, told (refused, but a passage shown beside it has the
    answer), or missed (refused, though it is answered).
    """

    record: Record
    reply: Reply
    worth: str

    @property
    def is_high(self) -> bool:
        return level(self.reply.confidence) is ConfidenceLevel.HIGH


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

    def answer(self, question: str) -> Reply:
        found = self._retrieved(question)
        reason = why_refused(question, [f"{each.label}\n{each.context}\n{each.text}" for each in found])
        scored = sorted(
            ((chunk_relevance(question, indexed_text(each.text, each.context), self._meaning), each) for each in found),
            key=lambda pair: -pair[0],
        )
        shown = [each for score, each in scored[:_SHOWN] if score >= _LEAST_EVIDENCE]
        sources = Sources.numbered(((each.label, each.text) for each in shown), [each.context for each in shown])
        answer = "".join(compose_answer(question, sources, IDK, self._meaning)) if shown and not reason else IDK
        if answer != IDK:
            return Reply(answer, confidence_in(question, answer, sources, self._meaning))
        near = [] if is_greeting(question) else mentions(question, [each.text for each in found])
        return Reply(IDK, reason=reason, mentioned=tuple(quote for _, quote in near))

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


def judged(record: Record, reply: Reply) -> Judged:
    """Judge one answer as its reader would, by the words that the record accepts."""
    return Judged(record, reply, _worth(record, reply))


def _worth(record: Record, reply: Reply) -> str:
    accepted, refused = record.get("accept"), reply.confidence is None
    if accepted is None:
        return "refused" if refused else "junk"
    if refused:
        return "told" if all(_hits(accepted, " ".join(reply.mentioned))) else "missed"
    said = plain_text(reply.answer).text
    hits = _hits(accepted, said)
    if all(hits) and all(is_readable(each.text) for each in split_sentences(said)):
        return "useful"
    return "partly" if any(hits) else "junk"


def _hits(accepted: Sequence[Sequence[str]], said: str) -> list[bool]:
    return [any(word.casefold() in said.casefold() for word in words) for words in accepted]


def main(folder: Path) -> None:
    records: list[Record] = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    asker = Asker(read_folder(folder), Meaning(default_embedder(), remembered=100_000))
    found = [judged(record, asker.answer(record["question"])) for record in records]
    for each in found:
        _show(each)
    table = Table(title=f"{len(found)} questions about {folder.name}")
    for heading in ("round", "marked", "useful", "partly", "junk", "refused rightly", "told", "refused wrongly"):
        table.add_column(heading, justify="left" if heading == "marked" else "right")
    for number in (1, 2):
        for name, chosen in (("High", True), ("other", False)):
            counts = Counter(
                each.worth for each in found if each.is_high is chosen and each.record.get("round", 1) == number
            )
            worths = ("useful", "partly", "junk", "refused", "told", "missed")
            table.add_row(str(number), name, *(str(counts[worth]) for worth in worths))
    Console().print(table)


def _show(each: Judged) -> None:
    mark = "High" if each.is_high else ""
    confidence = "" if each.reply.confidence is None else f" ({each.reply.confidence:.2f})"
    print(f"{each.worth:9}{mark:5}{each.record['question']}{confidence}")
    print(f"{'':14}{' '.join(each.reply.answer.split())[:300]} {each.reply.reason}")
    for quote in each.reply.mentioned:
        print(f"{'':16}mentions it: {quote}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        raise SystemExit("usage: python -m benchmarks.answers.own_questions FOLDER")
    main(Path(sys.argv[1]))
