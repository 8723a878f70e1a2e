"""Values that the measured packages read from a text, by their types."""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from citewell_documents.document import Page, ParsedDocument, Section, Table
from citewell_verify.answers.parser import ParsedAnswer, parse_answer
from citewell_verify.answers.statements import Statement, statements
from citewell_verify.correction.corrected_answer import Repair
from citewell_verify.embeddings.wheel import default_embedder
from citewell_verify.entities.names import tokens_of
from citewell_verify.entities.numbers import find_quantities
from citewell_verify.entities.quantities import Quantity
from citewell_verify.evidence.contradictions import Disagreement, best_places, disagreements
from citewell_verify.evidence.passages import Passage, source_passage
from citewell_verify.facts.comparison import SourceMatch
from citewell_verify.facts.differences.sentence import SentenceContext
from citewell_verify.facts.reading.token_alignment import Alignment, Gap, align
from citewell_verify.facts.reading.tokens import Token, Value, tokenize
from citewell_verify.facts.structure.terms import Term, terms_of
from citewell_verify.markers.citable import Citable, SourceNames
from citewell_verify.markers.parser import Marker, cited_markers
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.batched_items import Item, short_ids
from citewell_verify.prompting.judgements import ExtractedGraph, StatementCheck
from citewell_verify.prompting.numbered_sources import Source, Sources
from citewell_verify.question.question_parts import QuestionPart, kind_of
from citewell_verify.support.comparison import AnalysedSentences, AnalysedText, Comparison, compare
from citewell_verify.text.quotes import AlignedSentence, claim_stems, most_similar
from citewell_verify.text.sentences import split_sentences
from citewell_verify.text.words import content_stems
from citewell_verify.verdicts.joint_support import JointSupport, SupportedPart
from domain.answers.continuous_text import no_link
from domain.audit.chain import Chain, chain
from domain.audit.validity import SentenceState
from domain.audit.validity import compare as compared_states
from domain.documents.graph_extraction import read_graph
from domain.objects.schema import Field

_ONE = "The bridge cost 4.5 million euros in 1998 [1]."


def _document(text: str) -> ParsedDocument:
    size = len(text)
    sections = (Section("Terms", ("Terms",), 0, size // 2), Section(text, (text,), size // 2, size))
    return ParsedDocument(
        text, (Page(1, 0, size // 2), Page(2, size // 2, size)), sections, (Table(0, size // 2, 0),), {}
    )


def _alignment(text: str) -> Alignment:
    half = len(text) // 2
    return align(tokenize(text[:half]), tokenize(text[half:]))


def _aligned(text: str) -> AlignedSentence:
    return most_similar(claim_stems(_ONE), text, [])


def _token(text: str) -> Token:
    return Token(text, text, "word", 0)


def _comparison(text: str) -> Comparison:
    return compare(AnalysedText(_ONE), _read_texts(text))


def _read_texts(text: str) -> AnalysedSentences:
    return AnalysedSentences(AnalysedText(each.text) for each in split_sentences(text))


def _records(text: str) -> list[dict[str, Any]]:
    return [{"kind": "outcome", "round": 1, "step": "check", "item": each} for each in text.split()]


def _compared(text: str) -> list[dict[str, Any]]:
    stated = [SentenceState(each.start, each.end, each.text, "supported", 1.0, text) for each in split_sentences(text)]
    return compared_states(stated, [replace(each, status="unsupported") for each in stated])


def _items(text: str) -> list[Item]:
    return [Item(id_, text, (1,)) for id_ in short_ids(text.split())]


def _gap(text: str) -> tuple[object, ...]:
    alignment = _alignment(text)
    return (next(iter(alignment.gaps), Gap((), ())), alignment)


def _first(found: Sequence[Quantity]) -> Quantity:
    return found[0] if found else find_quantities(_ONE)[0]


def _fields(text: str) -> dict[str, object]:
    return {"sources": Sources.numbered([("report.md", text)]), "statement": _ONE, "question": text, "answer": text}


def _passage(text: str) -> Passage:
    pages = [[1, 0, len(text)]]
    named: dict[str, Any] = {"key": 1, "number": 1, "document_id": UUID(int=1), "title": "report.md", "metadata": {}}
    return source_passage(**named, text=text, pages=pages)


def _schema(text: str) -> dict[str, object]:
    # Longer schemas are refused before they are read.
    described = {"type": "string", "description": text[:10_000].encode("ascii", "ignore").decode()}
    return {"type": "object", "properties": {"value": described}}


def _reply(text: str) -> str:
    # There are words around the object, which a strict reading refuses, so that every part of the lenient one runs.
    check = StatementCheck(
        evidence=text, differences=[text], explanation=text, relation="supports", is_accurate=True, confidence=0.9
    )
    return f"Here it is:\n{check.model_dump_json()}\nThis is all."


READERS: Mapping[object, Callable[[str], object]] = {
    AlignedSentence: _aligned,
    Alignment: _alignment,
    QuestionPart: lambda text: QuestionPart(text, kind_of(text), tuple(content_stems(text))),
    Chain: lambda text: chain(_records(text)),
    Citable: lambda text: Citable((SourceNames(whole=("Bridge report",)), SourceNames(whole=(text,)), SourceNames())),
    Comparison: _comparison,
    ExtractedGraph: read_graph,
    Field: lambda text: Field("/value", "leaf", {"type": "string"}, text, nullable=True, properties={}),
    Iterable[Marker]: cited_markers,
    JointSupport: lambda text: JointSupport(tuple(SupportedPart(each.text, {}) for each in split_sentences(text))),
    Mapping[int, Repair]: lambda text: {number: Repair("rewritten", text, (1,), text) for number in range(3)},
    ParsedDocument: _document,
    Passage: _passage,
    Quantity: lambda text: _first(find_quantities(text)),
    AnalysedText: AnalysedText,
    ParsedAnswer: parse_answer,
    Hashable: str,
    Sequence[SourceMatch]: lambda text: best_places(_ONE, text),
    Sequence[Mapping[str, Any]]: _records,
    Sequence[dict[str, Any]]: _compared,
    Sequence[Disagreement]: lambda text: disagreements(text, _ONE),
    Sequence[Quantity]: find_quantities,
    AnalysedSentences: _read_texts,
    Sequence[Statement]: statements,
    Sequence[Term]: terms_of,
    Sequence[Token]: tokenize,
    Sequence[re.Match[str]]: tokens_of,
    Meaning: lambda _: Meaning(default_embedder()),
    Sources: lambda text: Sources.numbered([("report.md", text)]),
    Statement: lambda text: Statement(0, 0, len(text), text, (1,), claim=True),
    Term: lambda text: Term(text, _token(text)),
    Token: _token,
    Value: lambda text: Value(_first(find_quantities(text)), None),
}

ARGUMENTS: Mapping[str, Callable[[str], tuple[object, ...]]] = {
    "answers.continuous_text.linked_references": lambda text: ({"citations": [], "references": [text]}, no_link),
    "facts.differences.cues.cue_differences": _gap,
    "facts.differences.sentence.name_differences": lambda text: (*_gap(text), SentenceContext()),
    "facts.structure.column_heads.label_column": lambda text: ([[part, part, "1"] for part in text.split() or [text]],),
    "offline.judge.rewrite_statement": lambda text: (_fields(text),),
    "offline.judge.sources_of": lambda text: (_fields(text),),
    "objects.schema.checked_schema": lambda text: (_schema(text),),
    "objects.schema.read_schema": lambda text: (_schema(text),),
    "prompting.batched_items.by_id": lambda text: (_items(text), _items(text)),
    "prompting.numbered_sources.content_of": lambda text: (text, Sources([Source(1, "text", text, "")])),
    "prompting.reply_reading.read_reply": lambda text: (StatementCheck, _reply(text)),
}
"""The whole argument lists of functions whose arguments belong together."""
