"""Chooses the quoted evidence for one sentence of an answer (N3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from citewell_verify.answers.statements import Statement
from citewell_verify.evidence.passages import Passage
from citewell_verify.evidence.spans import bounded_evidence, claim_relevance, row_or_best_span
from citewell_verify.verdicts.states import PairVerdict

SPAN_CHARS = (50, 200)
"""The shortest and longest span that is quoted, in characters, where nothing else is asked for."""

Quoted = tuple[str | None, dict[str, Any] | None]
"""(words of a source, their place), or (None, None)."""


@dataclass(frozen=True, slots=True)
class CitedSpan:
    """The words of a source that a citation of the answer points to.

    `answer_start` is where the sentence that it is for begins, `status` the verdict on it, `place` where `text` is.
    """

    answer_start: int
    status: str
    confidence: float
    text: str
    place: dict[str, Any]


def sentence_evidence(
    statement: Statement,
    citations: Sequence[CitedSpan],
    checks: Sequence[PairVerdict],
    passages: Sequence[Passage],
    span_chars: tuple[int, int],
) -> Quoted:
    """The span of the best citation; else the evidence of a check; else the best span of any passage.

    A span has from `span_chars[0]` to `span_chars[1]` characters where the text allows it.
    """
    cited = [span for span in citations if span.answer_start == statement.start and span.status == "accurate"]
    if cited:
        best = max(cited, key=lambda span: span.confidence)
        return best.text, best.place
    checked = (check_evidence(check, statement.text, passages) for check in checks)
    if quoted := next((quoted for quoted in checked if quoted[0]), None):
        return quoted
    spans = [
        (passage, *row_or_best_span(passage.readable, statement.text, passage.readable_context, *span_chars))
        for passage in passages
    ]
    usable = [(claim_relevance(statement.text, words), *span) for span in spans if (words := span[0].words(*span[1:]))]
    if not usable:
        return None, None
    _, passage, start, end = max(usable, key=lambda span: span[0])
    return _quoted(passage, start, end)


def check_evidence(check: PairVerdict, statement: str, passages: Sequence[Passage]) -> Quoted:
    """The words that the verdict on the `statement` quotes, bounded: a judge may quote all that it was shown."""
    place = check.evidence
    if place is None:
        return None, None
    index = check.number - 1 if check.number else place.source
    if index >= len(passages):
        return None, None
    return _quoted(passages[index], *bounded_evidence(passages[index].text, statement, place.start, place.end))


def _quoted(passage: Passage, start: int, end: int) -> Quoted:
    if passage.words(start, end) is None:
        return None, None
    return passage.text[start:end], _location(passage, passage.start_index + start, passage.start_index + end)


def _location(passage: Passage, start: int, end: int) -> dict[str, Any]:
    return {
        "document_id": str(passage.document_id),
        "document_name": passage.filename,
        "chunk_id": passage.chunk_id,
        "page_number": passage.page_at(start),
        "section": passage.section_at(start),
        "source_start": start,
        "source_end": end,
    }
