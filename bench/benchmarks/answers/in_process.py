"""Offline answers from a folder in one process: the parsers, chunker, ranking and answers of a query, without
servers."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.answers.judged_answers import Card, Question, Reply
from benchmarks.fitting.labelled_pairs import RememberedEmbedder
from benchmarks.search.in_memory import DENSE_WEIGHT, DEPTH, LexicalIndex
from citewell_documents.chunking import split_document
from citewell_documents.document import ParsedDocument
from citewell_documents.parsing import parse
from citewell_verify.answers.refusals import IDK
from citewell_verify.evidence.conflicts.replacements import Excerpt, known_documents, replaced_documents
from citewell_verify.offline.judging import check_answerability
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.question.question_parts import is_greeting, whole_asked
from citewell_verify.question.relevance import judge_question
from citewell_verify.text.sentences import split_sentences
from citewell_verify.text.windows import headings_of, indexed_text
from clients.llm.offline.answering import compose_answer
from clients.llm.offline.model import chunk_relevance
from clients.llm.protocol import NotJudged
from config.answers import VerificationSettings
from config.models import RerankSettings
from config.settings import IngestionSettings, RetrievalSettings
from domain.query.options import Mode, evidence_gate
from domain.question.follow_up import standalone_question
from domain.question.nearest import closest, why_refused
from domain.question.whole_documents import shown_of, whole_request
from domain.retrieval.ranking import fuse
from services.documents.reading_limits import limits_of

_INGESTION, _K, _SHOWN = IngestionSettings(), RetrievalSettings().k, RerankSettings().top_k
_LEAST_EVIDENCE = VerificationSettings().min_evidence_score


def read_file(path: Path) -> ParsedDocument:
    limits = replace(limits_of(_INGESTION), recognise="now")
    return parse(path.read_bytes(), path.name, limits)


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage of a file."""

    document: str
    label: str
    text: str
    context: str

    @property
    def indexed(self) -> str:
        return indexed_text(self.text, self.context)


def _pieces(name: str, document: ParsedDocument) -> Iterable[Piece]:
    for chunk in split_document(
        document, chunk_tokens=_INGESTION.chunk_tokens, overlap_tokens=_INGESTION.overlap_tokens
    ):
        label = name if chunk.page is None else f"{name}, p.{chunk.page}"
        yield Piece(name, label, chunk.text, chunk.context or "")


class Lines:
    """The first baseline: the best of all rows, items and sentences of the documents by BM25, whatever is asked."""

    def __init__(self, documents: Iterable[ParsedDocument]) -> None:
        lines = (line for document in documents for line in filter(str.strip, document.text.splitlines()))
        pieces = (piece.text for line in lines for piece in split_sentences(line))
        self._index = LexicalIndex({piece: piece for piece in pieces if any(map(str.isalnum, piece))})

    def best(self, question: str) -> str:
        return next(iter(self._index.order(question)), "")


class Workspace:
    """Documents that questions are asked about."""

    def __init__(self, documents: Mapping[str, ParsedDocument], embedder: RememberedEmbedder, meaning: Meaning) -> None:
        self._pieces = [piece for name, document in documents.items() for piece in _pieces(name, document)]
        self._embedder, self._meaning = embedder, meaning
        texts = {place: piece.indexed for place, piece in enumerate(self._pieces)}
        self._words = LexicalIndex(texts, {place: piece.document for place, piece in enumerate(self._pieces)})
        self._vectors = embedder.encode(list(texts.values()))

    def ask(self, question: Question) -> Reply:
        began = time.perf_counter()
        text = standalone_question(question.text, [question.after]) if question.after else question.text
        reply = self._reply(text)
        return replace(reply, seconds=time.perf_counter() - began)

    def _reply(self, question: str) -> Reply:
        retrieved = self._retrieved(question)
        scores = {piece: round(chunk_relevance(question, piece.indexed, self._meaning), 4) for piece in retrieved}
        shown = sorted(retrieved, key=lambda piece: -scores[piece])[:_SHOWN]
        gate = evidence_gate(Mode.BALANCED, sum(score >= _LEAST_EVIDENCE for score in scores.values()))
        named = [f"{piece.label}\n{piece.indexed}" for piece in retrieved]
        why = why_refused(question, named)
        excerpts = self._excerpts(retrieved)
        replaced = replaced_documents(question, excerpts)
        whole = [] if why else self._whole(whole_request(question, known_documents(excerpts), replaced))
        if why or (gate.refuse and not whole):
            return _refused(question, shown, why or gate.reason)
        shown = whole or sorted(shown, key=lambda piece: piece.document in replaced)
        sources = Sources.numbered(
            ((piece.label, piece.text) for piece in shown),
            (piece.context for piece in shown),
            replaced_by=(replaced.get(piece.document, "") for piece in shown),
        )
        answer = "".join(compose_answer(question, sources, IDK))
        if answer == IDK:
            return _refused(question, shown, "The passages that were found do not contain the answer.")
        verdict = judge_question(question, answer, named)
        # A copied answer is supported; it is withdrawn only if it does not answer the question.
        if verdict and verdict.relevant == "no" and (reason := self._unanswerable(question, answer, sources)):
            return _refused(question, shown, reason)
        cited = [piece for number, piece in enumerate(shown, start=1) if f"[†{number}]" in answer]
        cards = tuple(Card(piece.document, piece.indexed, piece.text) for piece in cited)
        is_green = verdict is None or verdict.relevant == "yes"
        if not is_green and whole_asked(question) is None:
            cards += _closest(question, [piece for piece in shown if piece not in cited])
        return Reply(answer, is_green, cards, verdict.reason if verdict else "")

    def _whole(self, documents: Sequence[str]) -> list[Piece]:
        """Return the passages of whole documents that a question asks for."""
        members = [[piece for piece in self._pieces if piece.document == name] for name in documents]
        return shown_of(members, lambda piece: len(headings_of(piece.context)), lambda piece: piece.text)

    def _excerpts(self, retrieved: Sequence[Piece]) -> list[Excerpt]:
        """Return the retrieved passages and the openings of their documents, which documents are compared by."""
        openings = {piece.document: piece for piece in reversed(self._pieces)}
        names = dict.fromkeys(piece.document for piece in retrieved)
        pieces = dict.fromkeys([*(openings[name] for name in names), *retrieved])
        return [
            Excerpt(piece.document, piece.document, piece.text, piece.context, opens=piece is openings[piece.document])
            for piece in pieces
        ]

    def _unanswerable(self, question: str, answer: str, sources: Sources) -> str:
        try:
            verdict = check_answerability(question, answer, sources, self._meaning)
        except NotJudged:
            return ""
        return "" if verdict.supported else verdict.reason

    def _retrieved(self, question: str) -> list[Piece]:
        likeness = self._vectors @ self._embedder.encode([question])[0]
        near = sorted(range(len(self._pieces)), key=lambda place: -likeness[place])[:DEPTH]
        fused = fuse([self._words.order(question)[:DEPTH], near], [1.0, DENSE_WEIGHT])
        return [self._pieces[place] for place in fused[:_K]]


def _refused(question: str, shown: Sequence[Piece], reason: str) -> Reply:
    if is_greeting(question):
        return Reply(None, is_green=False, reason=reason)
    return Reply(None, is_green=False, cards=_closest(question, shown), reason=reason)


def _closest(question: str, pieces: Sequence[Piece]) -> tuple[Card, ...]:
    quoted = closest(question, [piece.text for piece in pieces])
    return tuple(Card(pieces[number].document, pieces[number].indexed, quote) for number, quote in quoted)
