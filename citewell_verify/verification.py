"""Verifies an answer with the steps of the server, in memory: nothing is stored, and no setting is read."""

import asyncio
import inspect
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from citewell_verify.judges import Judge, gateway_of
from clients.embeddings import default_embedder
from config.settings import Settings
from db.models import GivenSource, QueryKind, VerificationSentence
from db.queries.verifications.external_sources import given_passage
from domain.answers.statements import plan_checks
from domain.verdicts.report import Report, ReportedSentence, SourceSpan
from domain.verdicts.states import SentenceStatus
from services.core.context import QuerySnapshot, StepContext, StepResult, Tools
from services.core.verifier import calibration_of
from services.correction.conclusion import Conclusion, concluded
from services.correction.repair_steps import repair_statements, search_evidence
from services.correction.rounds import assess
from services.external.request import Check, NewSource, NewVerification, check_verification, options_of
from services.external.storage import first_outcomes, text_row
from services.external.verification_results import AsSubmitted, is_changed, reading_of
from services.reporting.answer_confidence import confidence_json
from services.reporting.repair_results import repair_item
from services.verification.checks import check_alignment, check_statements

_CHECKS: tuple[Check, ...] = ("alignment", "facts", "claims", "citations")
"""The checks whose results a report has; `alignment` judges whether the answer answers the question."""

Step = Callable[[StepContext], StepResult | Awaitable[StepResult]]


@dataclass(frozen=True, slots=True)
class GivenText:
    """A source. An answer cites it by its number, its `id`, `title` or `url`; `pages` are [number, start, end]."""

    text: str
    title: str | None = None
    url: str | None = None
    id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    pages: Sequence[tuple[int, int, int]] | None = None


def verify(
    answer: str, sources: Sequence[str | GivenText], question: str | None = None, judge: Judge | None = None
) -> Report:
    """Verify `answer` against its `sources`, sentence by sentence, and repair what they do not support.

    `[1]` in the answer cites the first source. With a `question`, it is also judged whether the answer answers it.
    The `judge` is a language model; without one, offline rules judge. Raises VerificationInvalid for an answer or
    sources that cannot be verified. In code that runs in an event loop, use `verify_async`.
    """
    work = verify_async(answer, sources, question, judge)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    # Notebooks run in a loop, which cannot run another one.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def verify_async(
    answer: str, sources: Sequence[str | GivenText], question: str | None = None, judge: Judge | None = None
) -> Report:
    """`verify` for code that runs in an event loop."""
    context = await asyncio.to_thread(_begun, answer, sources, question, judge)
    if question is not None:
        context = await _after(context, "check_alignment", check_alignment)
    items = [check.item for check in plan_checks(context.draft["text"], context.citable)]
    context = await _after(context, "check_statements", check_statements, items)
    context = await _after(context, "assess", assess)
    if failing := context.outcomes["assess", ""]["failing"]:
        context = await _after(context, "search_evidence", search_evidence)
        repairs = [repair_item(sentence) for sentence in failing]
        context = await _after(context, "repair_statements", repair_statements, repairs)
    return await asyncio.to_thread(lambda: _report(context, concluded(context)))


def _begun(answer: str, sources: Sequence[str | GivenText], question: str | None, judge: Judge | None) -> StepContext:
    """A context with the defaults of the settings: neither files nor the environment are read."""
    settings = Settings.model_construct()
    given = [_new_source(source) for source in sources]
    new = NewVerification(answer, given, question=question, checks=_CHECKS)
    check_verification(new, settings)
    models, query_id = gateway_of(judge), uuid.uuid4()
    rows = [text_row(number, source) for number, source in enumerate(given, start=1)]
    keys = [row["number"] for row in rows]
    query = QuerySnapshot(
        id=query_id,
        workspace_id=0,
        question=question or "",
        mode="balanced",
        provider=models.provider,
        options=options_of(new, settings),
        kind=QueryKind.VERIFICATION,
    )
    tools = Tools(models, default_embedder(), calibration=calibration_of(settings, models.provider))
    outcomes = {(step, item): outcome for step, item, outcome in first_outcomes(new, keys, rows)}
    context = StepContext(query, 0, (), outcomes, tools, {0: outcomes})
    context.passage_cache.add([given_passage(GivenSource(id=row["number"], query_id=query_id, **row)) for row in rows])
    return context


def _new_source(source: str | GivenText) -> NewSource:
    if isinstance(source, str):
        return NewSource(text=source)
    return NewSource(
        text=source.text,
        title=source.title,
        url=source.url,
        metadata=source.metadata,
        pages=source.pages,
        id=source.id,
    )


async def _after(context: StepContext, name: str, step: Step, items: Sequence[str] = ("",)) -> StepContext:
    """Return the context with the outcomes of a step, which is run for those of `items` that have none."""
    missing = tuple(item for item in items if (name, item) not in context.outcomes)
    if not missing:
        return context
    result = step(replace(context, items=missing))
    done = await result if inspect.isawaitable(result) else result
    after = context.with_outcomes(name, done.values)
    return replace(after, rounds={0: after.outcomes})


def _report(context: StepContext, conclusion: Conclusion) -> Report:
    draft, sources = context.draft, context.selection["sources"]
    rendered = AsSubmitted(sources, draft.get("inserted", []))
    stored, given = conclusion.draft, draft.get("given", draft["text"])
    published = conclusion.verification
    confidence = confidence_json(stored.verification) if stored else {"confidence": None, "confidence_level": None}
    return Report(
        answer=given,
        sentences=tuple(_sentence(rendered, sentence) for sentence in stored.sentences) if stored else (),
        repaired=conclusion.answer.text if is_changed(conclusion.answer) else given,
        is_grounded=stored.verification.is_grounded if stored else None,
        repaired_is_grounded=published.verification.is_grounded if published else None,
        confidence=confidence["confidence"],
        confidence_level=confidence["confidence_level"],
        issues=tuple(reading_of(draft)["issues"]),
    )


def _sentence(rendered: AsSubmitted, row: VerificationSentence) -> ReportedSentence:
    told = rendered.sentence(row)
    source = told["source"]
    evidence = (
        SourceSpan(source["number"], source["source_start"], source["source_end"], told["evidence"]) if source else None
    )
    return ReportedSentence(
        start=told["start"],
        end=told["end"],
        text=told["text"],
        status=SentenceStatus(told["status"]),
        reason=told["reason"],
        support=told["support"],
        evidence=evidence,
    )
