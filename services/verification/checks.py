"""The checks of one answer, their progress for the watchers of a query, and the exact evidence of its citations: which
span of which source supports which words (S4.2, S4.6, N3), also for a quote in the notes of the research (S3.6).

Words that were not judged never pass.
"""

import asyncio
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy.orm import Session

from citewell_verify.answers.statements import Statement, plan_checks
from citewell_verify.answers.translation import strip_references
from citewell_verify.evidence.citation_types import citation_type, weaker
from citewell_verify.evidence.passages import Passage, number_of
from citewell_verify.evidence.spans import claim_relevance, locate_verbatim, row_or_best_span, stating_row
from citewell_verify.judging.statement import (
    Checked,
    Failure,
    Pair,
    Shown,
    excerpts,
    judge_batch,
    judge_statement,
    names_of_passage,
    numbered_sources,
)
from citewell_verify.prompting.judgements import CHECK_ALIGNMENT, CHECK_ANSWERABILITY, CitationType
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.text.quotes import locate_quote
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus, citation_coverage, keyword_overlap
from citewell_verify.verification.findings import Findings
from citewell_verify.verification.repairs import Repaired
from citewell_verify.verification.sentences import check_evidence
from db.models import Citation
from db.queries.documents.chunks import read_given_slices, read_slices
from db.queries.runs.events import EventData
from domain.query.answer_checks import (
    AlignmentChecked,
    AlignmentVerdict,
    AnswerabilityChecked,
    AnswerabilityVerdict,
    CoverageChecked,
    Score,
)
from domain.query.options import QueryOptions
from domain.query.outcomes import EXTRACT_CITATIONS, RESEARCH_NOTES
from services.core.context import StepContext, StepResult, when_loaded
from services.verification.round_results import published_early

ALIGNMENT_CHUNKS = 5


def citation_checked(context: StepContext, statement: Statement, number: int | None, checked: Checked) -> EventData:
    """Return the event for the check of a statement against one source, or against all for a null `citation_number`
    (S5.4)."""
    data: dict[str, Any] = {
        "round": context.round,
        "sentence": statement.index,
        "statement": statement.text,
        "citation_number": number,
    }
    if checked["verdict"] is None:
        return "citation.checked", {**data, "status": "not_checked", "explanation": checked.get("reason", "")}
    verdict = PairVerdict.from_json(number, checked["verdict"])
    return "citation.checked", {
        **data,
        "status": verdict.verdict(context.query.options.citation_confidence).value,
        "is_accurate": verdict.is_accurate,
        "confidence": verdict.confidence,
        "explanation": verdict.explanation,
    }


def sentence_judged(
    context: StepContext,
    statement: Statement,
    status: SentenceStatus,
    checks: Sequence[PairVerdict],
    passages: Sequence[Passage],
) -> EventData:
    """N1: return the event for a claiming sentence that has its verdicts. A failed sentence may still be repaired."""
    type_ = "sentence.verified" if status is SentenceStatus.SUPPORTED else "sentence.failed"
    citations = [_judged_citation(context, statement, check, passages) for check in checks]
    return type_, {**_sentence(context, statement, status), "citations": citations}


def _sentence(context: StepContext, statement: Statement, status: SentenceStatus) -> dict[str, Any]:
    return {
        "round": context.round,
        "sentence": statement.index,
        "start": statement.start,
        "end": statement.end,
        "text": statement.text,
        "status": status.value,
    }


def _judged_citation(
    context: StepContext, statement: Statement, check: PairVerdict, passages: Sequence[Passage]
) -> dict[str, Any]:
    evidence, source = check_evidence(check, statement.text, passages)
    return {
        "citation_number": check.number,
        "status": check.status_at(context.query.options.citation_confidence),
        "confidence": check.confidence,
        "explanation": check.explanation,
        "evidence": evidence,
        "source": source,
    }


def sentences_checked(context: StepContext, findings: Findings) -> list[EventData]:
    """Return the events for every sentence of the draft with its final state (N4), except for verdicts that were
    published before."""
    checked = [
        ("sentence.checked", _sentence(context, statement, findings.states[statement.index]))
        for statement in findings.statements
    ]
    return [*_judged_late(context, findings), *checked]


def _judged_late(context: StepContext, findings: Findings) -> list[EventData]:
    published = published_early(context)
    late = [
        statement
        for statement in findings.statements
        if statement.claim
        and not findings.unasked
        and (statement.index, statement.start, statement.end, statement.text, findings.states[statement.index].value)
        not in published
    ]
    passages = context.selected_passages() if late else []
    return [
        sentence_judged(
            context, statement, findings.states[statement.index], findings.checks_of(statement.index), passages
        )
        for statement in late
    ]


def sentences_kept(context: StepContext, findings: Findings, mended: Collection[int]) -> list[EventData]:
    """N1: return the final event of sentences that stay as written although no check confirmed them: they claim
    nothing, or their state says what is wrong. Together with the verified, repaired and removed ones these are all
    sentences."""
    return [
        ("sentence.kept", _sentence(context, statement, findings.states[statement.index]))
        for statement in findings.statements
        if statement.index not in mended and findings.states[statement.index] is not SentenceStatus.SUPPORTED
    ]


def sentences_repaired(round_: int, repaired: Sequence[tuple[Statement, Repaired]]) -> list[EventData]:
    """Return the events for repaired and removed sentences (N5). A sentence that stays unchanged has none."""
    events: list[EventData] = []
    for statement, repair in repaired:
        data = {"round": round_, "sentence": statement.index, "statement": statement.text}
        if repair["status"] == "dropped":
            events.append(("sentence.removed", {**data, "reason": repair["reason"]}))
        elif repair["status"] != "kept":
            change = {"how": repair["status"], "text": repair["text"], "reason": repair["reason"]}
            events.append(("sentence.repaired", {**data, **change}))
    return events


async def check_alignment(context: StepContext) -> StepResult:
    """S1.2: check the answer against the top 5 chunks. If the model fails, keyword overlap replaces it, and the outcome
    says so."""
    shown = await when_loaded(
        context, partial(shown_to_judge, context, ALIGNMENT_CHUNKS), context.selection["ranked"][:ALIGNMENT_CHUNKS]
    )
    answer = strip_references(context.draft["text"])
    fields = {"sources": shown.sources, "question": context.question, "answer": answer}
    reply = await context.tools.models.ask(CHECK_ALIGNMENT, fields, log=context.log)
    if isinstance(reply, Failure):
        score = keyword_overlap(answer, [passage.text for passage in shown.passages])
        reason = f"keyword overlap stands in for the model: {reply.reason}"
        verdict = AlignmentVerdict(score=score, reason=reason)
        return StepResult.single(shown.noted_in(AlignmentChecked(status="fallback", verdict=verdict, reason=reason)))
    verdict = AlignmentVerdict(**reply.model_dump())
    return StepResult.single(shown.noted_in(AlignmentChecked(status="checked", verdict=verdict)))


def check_coverage(context: StepContext) -> StepResult:
    """S1.3: determine which of its sources the answer names or cites; no model is asked."""
    score = citation_coverage(context.draft["text"], list(map(names_of_passage, context.selected_passages())))
    return StepResult.single(CoverageChecked(status="checked", verdict=Score(score=score)))


async def check_answerability(context: StepContext) -> StepResult:
    """S3.4: check whether the whole answer is in the passages that it was written from."""
    if not context.query.options.verify_answer:
        return StepResult.single(
            AnswerabilityChecked(
                status="skipped", verdict=None, reason=f"mode {context.query.mode} does not ask for it"
            )
        )
    shown = await when_loaded(context, partial(shown_to_judge, context))
    check = await ask_answerability(context, shown.sources, strip_references(context.draft["text"]))
    return StepResult.single(shown.noted_in(check))


async def ask_answerability(context: StepContext, sources: Sources, answer: str) -> AnswerabilityChecked:
    """S3.4: ask a model whether the whole of `answer` is in the `sources`."""
    fields = {"sources": sources, "question": context.question, "answer": answer}
    reply = await context.tools.models.ask(CHECK_ANSWERABILITY, fields, log=context.log)
    if isinstance(reply, Failure):
        return AnswerabilityChecked(status="not_checked", verdict=None, reason=reply.reason)
    return AnswerabilityChecked(status="checked", verdict=AnswerabilityVerdict(**reply.model_dump()))


def shown_to_judge(context: StepContext, most: int | None = None) -> Shown:
    """Return the `most` best retrieved passages, or those that the answer is written from; of given sources those that
    their statements need. Raises SourceDeleted."""
    if context.query.is_external:
        return excerpts(context.selected_passages(), context.statements)
    passages = context.selected_passages() if most is None else context.passages(context.selection["ranked"][:most])
    return Shown(passages, numbered_sources(passages))


async def check_statements(context: StepContext) -> StepResult:
    """S5.4: check each (statement, citation) pair against its own source, concurrently, with one call each or shared
    ones."""
    passages = await when_loaded(context, context.selected_passages)
    sources = numbered_sources(passages)
    planned = {check.item: check for check in plan_checks(context.draft["text"], context.citable)}
    said = context.statements

    def pair(item: str) -> Pair:
        plan = planned[item]
        # Check an uncited statement against everything that the answer was written from.
        shown = sources if plan.number is None else Sources([sources[plan.number - 1]])
        return Pair(item, said[plan.statement].text, shown)

    checks = await _judged(context, [pair(item) for item in context.items])
    return StepResult(
        {item: dict(checked) for item, checked in zip(context.items, checks, strict=True)},
        events=[
            citation_checked(context, said[planned[item].statement], planned[item].number, checked)
            for item, checked in zip(context.items, checks, strict=True)
        ],
    )


async def _judged(context: StepContext, pairs: Sequence[Pair]) -> Sequence[Checked]:
    if context.query.options.shares_calls:
        return await judge_batch(context.judge, pairs)
    single = (judge_statement(context.judge, pair.statement, pair.sources, item=pair.item) for pair in pairs)
    return await asyncio.gather(*single)


class EvidenceMismatch(AssertionError):
    """A span about to be stored differs from the stored text at its offsets; nothing is stored."""


@dataclass(frozen=True, slots=True)
class ExtractedQuote:
    """Words that a model quoted from the passage, and the citation type that it gave them (S4.2)."""

    text: str
    kind: CitationType


@dataclass(frozen=True, slots=True)
class Span:
    """`passage.text[start:end]`, and how the answer uses it."""

    start: int
    end: int
    citation_type: CitationType


def choose_span(statement: str, passage: Passage, candidates: Sequence[ExtractedQuote], options: QueryOptions) -> Span:
    """Choose the span of `passage` that supports `statement`: the statement's own words or the row that states it if
    present, else the best quote or sentence.

    A candidate counts only if it occurs in the passage verbatim and fits at least as well as Citewell's own choice.
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
    """Return the row of a citation that stays behind a statement; one that was not checked is uncertain."""
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

    `given_with` is the verification (N2) or the question (N9) that brought the sources, if one did.
    """
    spans = [(citation.source_start, citation.source_end) for citation in citations]
    if given_with is None:
        documents = [citation.document_id for citation in citations]
        texts = read_slices(session, [(of, *span) for of, span in zip(documents, spans, strict=True)])
    else:
        numbers = [number_of(citation.doc_id) for citation in citations]
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
