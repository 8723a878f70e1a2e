"""Corrective rounds: assesses a round and plans the searches of the next one (S2.3)."""

import asyncio
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import structlog
from sqlalchemy.orm import Session

from citewell_verify.judging.statement import Failure, numbered_sources
from citewell_verify.prompting.judgements import PLAN_QUERIES
from citewell_verify.verification.findings import Findings, JointVerdicts, judge_jointly, open_statements
from db.queries.runs.events import add_event
from db.queries.runs.queries import advance_round
from db.queries.runs.results import StoredVerification, add_verification
from domain.query.budget import (
    NO_REPAIR,
    NO_ROUND,
    WRITTEN,
    Attempt,
    Draft,
    best_round,
    needs_correction,
    usable_queries,
)
from domain.query.outcomes import ASSESS, CHECK_ANSWERABILITY, GENERATE, RETRIEVE, Assessed, Planned
from services.core.context import StepContext, StepResult, when_loaded
from services.judging.relevance import leaves_as_much_open
from services.reporting.assessment import (
    abstained_verification,
    as_attempt,
    attempted_verification,
    broken_verification,
)
from services.verification.checks import sentences_checked
from services.verification.round_results import collect_findings, is_proven_by_parts, together_json

log = structlog.get_logger()

MOST_QUERIES = 4


async def assess(context: StepContext) -> StepResult:
    """Assess the round: either another one follows, or the best one is kept. If there are several, each of them goes
    into the history.

    First, statements that no cited source supports alone are checked against all the sources that they cite together
    (V7).
    """
    findings = await asyncio.to_thread(collect_findings, context, {}) if _draft(context) in WRITTEN else None
    joint: JointVerdicts = await _judged_jointly(context, findings) if findings else {}
    return await asyncio.to_thread(_weighed, context, joint)


async def _judged_jointly(context: StepContext, findings: Findings) -> JointVerdicts:
    wanted = open_statements(findings, context.query.options.citation_confidence)
    if not wanted:
        return {}
    passages = await when_loaded(context, context.selected_passages)
    return await judge_jointly(context.judge, wanted, numbered_sources(passages))


def _weighed(context: StepContext, joint: JointVerdicts) -> StepResult:
    options = context.query.options
    draft = _draft(context)
    findings = collect_findings(context, joint) if draft in WRITTEN else None
    is_proven = findings is not None and is_proven_by_parts(context, findings)
    if is_proven and draft == "unanswerable":
        draft = "complete"
    outcome = Assessed(
        status="assessed",
        draft=draft,
        confidence=findings.confidence if findings else None,
        gaps=findings.gaps() if findings else [],
        failing=findings.failing(options.citation_confidence) if findings else [],
        new_context=bool((context.read(RETRIEVE) or {}).get("new", False)),
        decision="finish",
        best=context.round,
    )
    if joint:
        outcome["together"] = together_json(joint)
    wanted = needs_correction(_attempt(context.round, outcome), options.confidence_threshold, options.max_crag_attempts)
    # Repair mends or removes sentences without support. A new round is worth its cost only if those sentences answered
    # a part of the question that the supported ones leave open.
    if findings and is_proven and wanted:
        supported = " ".join(findings.supported_texts())
        wanted = not leaves_as_much_open(context, supported, context.draft["text"])
    again = wanted and not context.budget.has_used(NO_ROUND)
    outcome["decision"] = "correct" if again else "finish"
    assessed = {number: outcomes.get((ASSESS, "")) for number, outcomes in sorted(context.rounds.items())}
    before = {number: Assessed(**earlier) for number, earlier in assessed.items() if earlier and number < context.round}
    attempts = [_attempt(number, earlier) for number, earlier in before.items()]
    best = best_round([*attempts, _attempt(context.round, outcome)])
    outcome["best"] = best
    failing = (outcome if best == context.round else before[best])["failing"]
    unmended = options.repair == "full" and context.budget.has_used(NO_REPAIR) and bool(failing)
    if unmended:
        outcome["repairs"] = False
    if unmended or (wanted and not again):
        outcome["degraded"] = context.budget.reason

    history = _attempt_history(context, findings) if again or context.round else None
    saves: list[Callable[[Session], None]] = []
    if history is not None:
        saves.append(partial(add_verification, stored=history))
    if again:
        event = {"round": context.round + 1, "claims_score": outcome["confidence"], "gaps": outcome["gaps"]}
        saves.append(partial(_start_round, query_id=context.query.id, event=event))
    saved = partial(_save, saves=saves) if saves else None
    return StepResult.single(outcome, saved, sentences_checked(context, findings) if findings else ())


def _save(session: Session, saves: Sequence[Callable[[Session], None]]) -> None:
    for save in saves:
        save(session)


def _start_round(session: Session, query_id: uuid.UUID, event: dict[str, Any]) -> None:
    advance_round(session, query_id, event["round"])
    add_event(session, "corrective_round", event, query_id=query_id)


def _attempt_history(context: StepContext, findings: Findings | None) -> StoredVerification:
    """Return the attempt for the history, which has every attempt (S2.3), even one without an answer or with a broken
    verification (S1.6)."""
    if findings is None:
        reason = (context.read(GENERATE) or context.selection).get("reason") or "no answer was written"
        return as_attempt(abstained_verification(context, reason))
    try:
        return attempted_verification(context, findings)
    except Exception as error:
        log.exception("verification_broke", query_id=str(context.query.id), round=context.round)
        reason = f"verification broke ({type(error).__name__})"
        return as_attempt(broken_verification(context, context.draft["text"], reason))


async def plan_queries(context: StepContext) -> StepResult:
    gaps = assessed["gaps"] if (assessed := context.read_earlier(ASSESS)) else []
    fields = {
        "question": context.question,
        "claims": "\n".join(f"- {gap}" for gap in gaps),
        "count": MOST_QUERIES,
    }
    reply = await context.tools.models.ask(PLAN_QUERIES, fields, log=context.log)
    if isinstance(reply, Failure):
        return StepResult.single(Planned(status="fallback", queries=_usable(gaps), reason=reply.reason))
    if not (queries := _usable(reply.queries)):
        return StepResult.single(Planned(status="fallback", queries=_usable(gaps), reason="the model planned none"))
    return StepResult.single(Planned(status="planned", queries=queries))


def _usable(texts: list[str]) -> list[str]:
    return usable_queries(texts, MOST_QUERIES)


def _draft(context: StepContext) -> Draft:
    if context.read(GENERATE) is None:
        return "failed" if context.selection["status"] == "failed" else "none"
    written = context.draft["status"]
    if written != "complete":
        return written
    answerability = context.read(CHECK_ANSWERABILITY)
    if answerability is None or answerability["status"] == "not_checked":
        return "unconfirmed"
    verdict = answerability["verdict"]
    return "unanswerable" if verdict and not verdict["supported"] else "complete"


def _attempt(number: int, outcome: Assessed) -> Attempt:
    return Attempt(number, outcome["draft"], outcome["confidence"], len(outcome["gaps"]))
