"""Citations with exact evidence: which span of which source supports which words (S4.2, S4.6, N3), also for a
quote in the notes of the research (S3.6).
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from citewell_verify.answers.statements import Statement
from citewell_verify.evidence.citation_types import citation_type, weaker
from citewell_verify.evidence.passages import Passage
from citewell_verify.evidence.spans import claim_relevance, locate_verbatim, row_or_best_span, stating_row
from citewell_verify.prompting.judgements import CitationType
from citewell_verify.text.quotes import locate_quote
from citewell_verify.verdicts.states import PairVerdict
from db.models import Citation
from db.queries.documents.chunks import read_given_slices, read_slices
from domain.query.options import QueryOptions
from domain.query.outcomes import EXTRACT_CITATIONS, RESEARCH_NOTES
from services.core.context import StepContext


class EvidenceMismatch(AssertionError):
    """A span about to be stored differs from the stored text at its offsets; nothing is stored."""


@dataclass(frozen=True, slots=True)
class ExtractedQuote:
    """Words that a model quoted from the passage, and the citation type it gave them (S4.2)."""

    text: str
    kind: CitationType


@dataclass(frozen=True, slots=True)
class Span:
    """`passage.text[start:end]`, and how the answer uses it."""

    start: int
    end: int
    citation_type: CitationType


def choose_span(statement: str, passage: Passage, candidates: Sequence[ExtractedQuote], options: QueryOptions) -> Span:
    """Choose the span of `passage` that supports `statement`: its own words or the row that states it if present, else
    the best quote or sentence.

    A candidate counts only if it occurs in the passage verbatim and fits at least as well as our own choice.
    """
    text = passage.readable
    literal = locate_verbatim(statement, text)
    if literal is not None and passage.words(literal.start, literal.end):
        return Span(literal.start, literal.end, "direct_quote")
    context = passage.readable_context
    start, end = row_or_best_span(text, statement, context, options.span_min_chars, options.span_max_chars)
    kind = citation_type(statement, text[start:end])
    if stating_row(statement, text, context) and passage.words(start, end):
        return Span(start, end, kind)
    best, relevance = Span(start, end, kind), claim_relevance(statement, text[start:end])
    for candidate in candidates:
        quote = locate_quote(candidate.text, text, min_ratio=1.0)
        if quote is None or not quote.exact or not (words := passage.words(quote.start, quote.end)):
            continue
        fits = claim_relevance(statement, words)
        if fits >= relevance and fits > 0:
            kind = weaker(candidate.kind, citation_type(statement, words))
            best, relevance = Span(quote.start, quote.end, kind), fits
    return best


def citation_row(
    *, number: int, passage: Passage, span: Span, statement: Statement, verdict: PairVerdict, threshold: float
) -> Citation:
    """The row of a citation that stays behind a statement; one that was not checked is uncertain."""
    start = passage.start_index + span.start
    is_checked = verdict.confidence is not None
    return Citation(
        number=number,
        document_id=passage.document_id,
        document_name=passage.filename,
        doc_id=passage.doc_id,
        chunk_id=passage.chunk_id,
        chunk_index=passage.chunk_index,
        start_index=passage.start_index,
        source=passage.source,
        page_number=passage.page_at(start),
        section=passage.section_at(start),
        text_span=passage.text[span.start : span.end],
        source_start=start,
        source_end=passage.start_index + span.end,
        claim_text=statement.text,
        answer_start=statement.start,
        answer_end=statement.end,
        citation_type=span.citation_type,
        status=verdict.verdict(threshold).value,
        confidence_score=verdict.confidence if is_checked else 0.0,
        explanation=verdict.explanation if is_checked else f"not checked: {verdict.explanation}",
    )


def assert_exact(session: Session, answer: str, citations: list[Citation], given_with: uuid.UUID | None = None) -> None:
    """N3: compare every span with the stored text. Raises EvidenceMismatch; a deleted document cannot be compared.

    `given_with` is the verification that brought the sources (N2), if one did.
    """
    spans = [(citation.source_start, citation.source_end) for citation in citations]
    if given_with is None:
        documents = [citation.document_id for citation in citations]
        texts = read_slices(session, [(of, *span) for of, span in zip(documents, spans, strict=True)])
    else:
        numbers = [citation.chunk_index + 1 for citation in citations]
        texts = read_given_slices(session, given_with, [(of, *span) for of, span in zip(numbers, spans, strict=True)])
    for citation, stored in zip(citations, texts, strict=True):
        if stored is not None and stored != citation.text_span:
            raise EvidenceMismatch(f"{citation.chunk_id} at {citation.source_start}:{citation.source_end}")
        if answer[citation.answer_start : citation.answer_end] != citation.claim_text:
            raise EvidenceMismatch(f"answer at {citation.answer_start}:{citation.answer_end}")


def notes_text(context: StepContext) -> str:
    notes = noted["notes"] if (noted := context.read(RESEARCH_NOTES)) else []
    return "\n".join(f"- [{note['source']}] {note['fact']}: “{' '.join(note['quote'].split())}”" for note in notes)


def notes_issues(context: StepContext) -> list[str]:
    noted = context.read(RESEARCH_NOTES)
    return [f"The research left no notes: {noted.get('reason')}."] if noted and noted["status"] == "failed" else []


def quotes_by_source(context: StepContext) -> dict[int, list[ExtractedQuote]]:
    """The quotes of the synthesis and of the research, by source; the same words of one source count once."""
    extracted, noted = context.read(EXTRACT_CITATIONS), context.read(RESEARCH_NOTES)
    quotes = [
        (quoted["source"], ExtractedQuote(quoted["text_span"], quoted["citation_type"]))
        for quoted in (extracted["citations"] if extracted else ())
    ]
    quotes += [
        (note["source"], ExtractedQuote(note["quote"], "direct_quote")) for note in (noted["notes"] if noted else ())
    ]
    distinct: dict[int, dict[str, ExtractedQuote]] = {}
    for source, quote in quotes:
        distinct.setdefault(source, {}).setdefault(" ".join(quote.text.split()).casefold(), quote)
    return {source: list(by_words.values()) for source, by_words in distinct.items()}
