"""Concludes a query: repairs failing sentences, removes wrong citations, renumbers the rest (S5.5, N5), and notes where
other passages contradict those that the answer cites."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import structlog
from sqlalchemy.orm import Session

from citewell_verify.answers.translation import references
from citewell_verify.correction.corrected_answer import Corrected
from citewell_verify.evidence.conflicts.finding import Conflict, Evidence, Place, conflicts, documents_to_compare
from citewell_verify.evidence.conflicts.replacements import Excerpt, Known, known_documents
from citewell_verify.evidence.passages import Passage
from citewell_verify.verdicts.states import PairVerdict
from citewell_verify.verification.findings import Findings
from citewell_verify.verification.repairs import Repairs
from citewell_verify.verification.sentences import nothing_left
from db.models import Answer, Citation
from db.queries.documents.chunks import find_passages
from db.queries.runs.events import EventData
from db.queries.runs.results import StoredVerification, add_answer, add_verification
from db.session import after_commit, reading
from domain.errors.state import SourceDeleted
from domain.query.outcomes import (
    CHECK_ANSWERABILITY,
    GENERATE,
    RECHECK_ANSWERABILITY,
    Concluded,
    JudgedCitation,
)
from services.core.context import StepContext, StepResult, ran_out
from services.quality.counts import Shown, count_answer
from services.reporting.assessment import (
    Published,
    abstained_verification,
    as_attempt,
    attempted_verification,
    broken_verification,
    published_verification,
)
from services.reporting.external_citations import judged_citations
from services.reporting.rows import corrected_draft, passages_to_conclude, read_repairs
from services.verification.checks import assert_exact, choose_span, citation_row, quotes_by_source, sentences_kept
from services.verification.round_results import collect_findings, is_partly_proven

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Conclusion:
    """Everything that the query publishes."""

    answer: Answer
    citations: list[Citation]
    verification: StoredVerification | None
    draft: StoredVerification | None = None
    """N2: the verification of the answer as it was given."""
    judged: list[JudgedCitation] | None = None
    """N2: the verdict on every citation of the answer as it was given."""
    events: Sequence[EventData] = ()


def conclude(context: StepContext) -> StepResult:
    if failure := _failure(context):
        return StepResult.single(failure)
    try:
        conclusion = concluded(context)
    except SourceDeleted as error:
        return StepResult.single(Concluded(status="failed", code=error.code, reason=error.message))

    outcome = Concluded(status="answered", abstained=conclusion.answer.abstained)
    if conclusion.judged is not None:
        outcome["citations"] = conclusion.judged
    if not context.query.is_external and (conflicts := conflicts_with(context, conclusion.citations)):
        outcome["conflicts"] = conflicts
    stored = replace(conclusion, judged=None, events=())
    return StepResult.single(outcome, partial(_save, context.portable(), stored), conclusion.events)


def _save(context: StepContext, conclusion: Conclusion, session: Session) -> None:
    given_with = context.query.id if context.query.has_given_sources else None
    assert_exact(session, conclusion.answer.text, conclusion.citations, given_with)
    add_answer(session, conclusion.answer, conclusion.citations)
    verification = conclusion.verification
    for stored in (conclusion.draft, verification):
        if stored is not None:
            add_verification(session, stored)
    published = None if verification is None else Shown(verification, conclusion.citations)
    after_commit(session, partial(count_answer, context, conclusion.answer, published))


def _failure(context: StepContext) -> Concluded | None:
    """Return why the query fails. It does not answer "I don't know" then, because that would be a statement about the
    documents."""
    if context.selection["status"] == "failed":
        reason = context.selection.get("reason", "retrieval failed")
        return Concluded(status="failed", code=ran_out(context) or "retrieval_failed", reason=reason)
    if context.selection["status"] == "selected" and context.draft["status"] == "failed":
        draft = context.draft
        code = draft.get("code", "generation_failed")
        if code == "model_deadline":
            # The call was ended by the query's deadline, or by its own.
            code = ran_out(context) or code
        return Concluded(status="failed", code=code, reason=draft.get("reason", "no answer was written"))
    return None


def concluded(context: StepContext) -> Conclusion:
    """Build the content that the query publishes; nothing is stored. Raises SourceDeleted."""
    selection = context.selection
    if selection["status"] == "refused":
        return _abstain(context, context.refusal, selection.get("reason", "There is too little evidence."))
    if context.draft["status"] == "abstained":
        return _abstain(context, context.draft["text"], context.draft.get("reason", ""))
    if not context.query.is_external:
        return _answered(context)
    if context.query.options.repair == "off":
        return _only_judged(context)
    findings = collect_findings(context)
    draft = _draft_verification(context, findings)
    return replace(_answered(context), draft=draft, judged=judged_citations(context, findings))


def _only_judged(context: StepContext) -> Conclusion:
    """Return the verdicts on a given answer, whose text stays unchanged (N2)."""
    findings, text = collect_findings(context), context.draft["text"]
    verification = _draft_verification(context, findings)
    verification.verification.kind = "published"
    kept = () if findings.unasked else sentences_kept(context, findings, ())
    answer = _answer_row(context, text, text)
    return Conclusion(answer, [], verification, judged=judged_citations(context, findings), events=kept)


def _abstain(context: StepContext, original: str, reason: str) -> Conclusion:
    verification = abstained_verification(context, reason) if context.query.options.verification else None
    return Conclusion(_answer_row(context, context.refusal, original, abstain_reason=reason), [], verification)


def _answered(context: StepContext) -> Conclusion:
    findings, repairs = collect_findings(context), read_repairs(context)
    corrected = corrected_draft(context, findings, repairs)
    reason = _unanswerable(context, findings, repairs) or nothing_left(corrected, repairs)
    citations = [] if reason else _citations(context, corrected, findings, repairs)
    raw = context.draft["text"]
    if not reason:
        answer = _answer_row(context, corrected.text, raw, corrected=corrected, repairs=repairs)
    elif context.query.is_external:
        # The submitter of an answer sees the verdict on each of its sentences.
        answer = _answer_row(context, context.refusal, raw, abstain_reason=reason, corrected=corrected)
    else:
        answer = _answer_row(context, context.refusal, raw, abstain_reason=reason)
    if reason:
        # An answer that was replaced keeps none of its citations (S5.6).
        cited = {number for statement in findings.statements for number in statement.numbers}
        answer.removed_citations = sorted({*corrected.removed, *cited})
    verification = _verification(context, findings, Published(answer, citations, corrected, repairs))
    kept = () if answer.abstained or findings.unasked else sentences_kept(context, findings, repairs.edits)
    return Conclusion(answer, citations, verification, events=kept)


def _unanswerable(context: StepContext, findings: Findings, repairs: Repairs) -> str | None:
    """S3.4: return why the answer is replaced, if its last answerability verdict says so; a repaired answer has a
    verdict of its own.

    The verdict never overrules sentences that are supported and answer the question. A given answer (N2) is judged
    sentence by sentence in any case; the verdict on the whole is only reported.
    """
    if context.query.is_external:
        return None
    checks = (context.read(RECHECK_ANSWERABILITY), context.read(CHECK_ANSWERABILITY))
    verdict = next((check["verdict"] for check in checks if check and check["verdict"]), None)
    if not verdict or verdict["supported"] or is_partly_proven(context, findings, repairs.edits):
        return None
    return f"The answer that was written is not supported by the documents: {verdict['reason']}"


def _draft_verification(context: StepContext, findings: Findings) -> StoredVerification:
    try:
        return attempted_verification(context, findings)
    except Exception as error:
        log.exception("verification_broke", query_id=str(context.query.id))
        reason = f"verification broke ({type(error).__name__})"
        return as_attempt(broken_verification(context, context.draft["text"], reason))


def _verification(context: StepContext, findings: Findings, published: Published) -> StoredVerification | None:
    if not context.query.options.verification:
        return None
    try:
        return published_verification(context, findings, published)
    except Exception as error:
        # S1.6: an error in the verification never fails the query; the history records it.
        log.exception("verification_broke", query_id=str(context.query.id))
        return broken_verification(context, published.answer.text, f"verification broke ({type(error).__name__})")


def _citations(context: StepContext, corrected: Corrected, findings: Findings, repairs: Repairs) -> list[Citation]:
    options = context.query.options
    original_number = {new: old for old, new in corrected.mapping.items()}
    quotes = quotes_by_source(context)
    rows: list[Citation] = []
    for statement in corrected.statements:
        for number in statement.numbers:
            old = original_number[number]
            verdict = repairs.verdicts.get(statement.index) or findings.verdicts.get((statement.index, old))
            row = citation_row(
                number=number,
                passage=repairs.passages[old - 1],
                span=choose_span(statement.text, repairs.passages[old - 1], quotes.get(old, []), options),
                statement=statement,
                verdict=verdict or PairVerdict.not_checked(old, "no check was made"),
                threshold=options.citation_confidence,
            )
            row.position = len(rows)
            rows.append(row)
    return rows


def _answer_row(
    context: StepContext,
    text: str,
    original: str,
    *,
    abstain_reason: str | None = None,
    corrected: Corrected | None = None,
    repairs: Repairs | None = None,
) -> Answer:
    """Return the row of the answer. A given answer (N2) keeps the numbers of the request, which name its sources."""
    passages = repairs.passages if repairs and not context.query.is_external else []
    labels = {new: passages[old - 1].label for old, new in corrected.mapping.items()} if corrected and passages else {}
    edits: list[dict[str, Any]] = [edit.as_json() for edit in corrected.edits] if corrected else []
    return Answer(
        query_id=context.query.id,
        round=context.round,
        text=text,
        original_text=original,
        abstained=abstain_reason is not None,
        abstain_reason=abstain_reason,
        model=draft["model"] if (draft := context.read(GENERATE)) else None,
        references=references([labels[number] for number in sorted(labels)]),
        removed_citations=corrected.removed if corrected else [],
        edits=edits,
    )


def conflicts_with(context: StepContext, citations: Sequence[Citation]) -> list[dict[str, Any]]:
    """Return the statements of other passages that contradict those that the answer cites, as JSON.

    The answer is valid without them, so an error here is only logged.
    """
    if not citations:
        return []
    try:
        passages = context.passages(list(dict.fromkeys(passages_to_conclude(context))))
        return _as_json(citations, passages, context.question)
    except Exception:
        log.exception("conflicts_broke", query_id=str(context.query.id))
        return []


def _as_json(citations: Sequence[Citation], passages: Iterable[Passage], question: str) -> list[dict[str, Any]]:
    known = {Excerpt.of(passage): passage for passage in passages}
    evidence = [statement for citation in citations for statement in _evidence(citation, known)]
    compared = documents_to_compare(evidence, list(known))
    if not compared:
        return []
    openings = {passage.document_id for passage in known.values() if str(passage.document_id) in compared}
    with reading() as session:
        opening = find_passages(session, [(document_id, 0) for document_id in openings])
    known = {**{Excerpt.of(passage): passage for passage in opening.values()}, **known}
    excerpts = list(known)
    documents = known_documents(excerpts)
    return [_conflict_json(conflict, known, documents) for conflict in conflicts(evidence, excerpts, question)]


def _evidence(citation: Citation, known: dict[Excerpt, Passage]) -> Iterable[Evidence]:
    for excerpt, passage in known.items():
        if (passage.document_id, passage.chunk_index) == (citation.document_id, citation.chunk_index):
            start, end = (at - passage.start_index for at in (citation.source_start, citation.source_end))
            yield Evidence(citation.claim_text, excerpt, start, end)


def _conflict_json(conflict: Conflict, known: dict[Excerpt, Passage], documents: dict[str, Known]) -> dict[str, Any]:
    in_force: Literal["stated", "other"] | None = None
    if conflict.in_force is not None:
        in_force = "stated" if conflict.in_force == conflict.stated.excerpt.document else "other"
    return {
        "statement": conflict.claim,
        "stated": _place_json(conflict.stated, known, documents),
        "other": _place_json(conflict.other, known, documents),
        "in_force": in_force,
    }


def _place_json(place: Place, known: dict[Excerpt, Passage], documents: dict[str, Known]) -> dict[str, Any]:
    passage = known[place.excerpt]
    start = passage.start_index + place.start
    return {
        "value": place.value,
        "quote": " ".join(place.quote.split()),
        "document": passage.filename,
        "document_id": str(passage.document_id),
        "date": documents[place.excerpt.document].date,
        "page": passage.page_at(start),
        "section": passage.section_at(start),
        "chunk_id": passage.chunk_id,
        "source_start": start,
        "source_end": passage.start_index + place.end,
    }
