"""Counts quality answer by answer: running totals of the metrics that services.quality.history reads from the history.

A monitor computes the increase over a time of its choice; no scrape reads any history (S2.7, S3.7).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from citewell_verify.question.relevance import question_of
from citewell_verify.verdicts.states import SentenceStatus
from clients.telemetry import meter
from clients.telemetry.meter import METER, Family
from db.models import Answer, Citation
from db.queries.runs.results import StoredVerification
from domain.quality import answer_quality
from domain.quality.answer_quality import Metric
from services.core.context import StepContext

log = structlog.get_logger()

_REPAIRS = frozenset({"removed", "reattributed", "rewritten", "dropped"})


@dataclass(frozen=True, slots=True)
class Shown:
    """The checks and citations of an answer as users see them."""

    verification: StoredVerification
    citations: Sequence[Citation]


def count_answer(context: StepContext, answer: Answer, shown: Shown | None) -> None:
    """Count one published answer; call it once, when the answer is stored. A given answer (N2) says nothing about
    Citewell's own quality."""
    try:
        _count(context, answer, shown)
    except Exception:
        # The answer is stored, and a failure of mere monitoring must not break anything.
        log.exception("answer_not_counted")


def _count(context: StepContext, answer: Answer, shown: Shown | None) -> None:
    states = [SentenceStatus(sentence.status) for sentence in shown.verification.sentences] if shown else []
    _add(meter.SENTENCES, Counter(state.value for state in states))
    _add(meter.REPAIRS, Counter(kind for edit in answer.edits if (kind := str(edit["kind"])) in _REPAIRS))
    if context.query.is_external:
        return
    METER.count(meter.ANSWERS, "abstained" if answer.abstained else "answered")
    if shown is not None:
        _count_checks(context, shown, states)
        _count_reranking(context)


def count_ratings(accuracy: Metric) -> None:
    if accuracy.value is not None:
        agreed = round(accuracy.value * accuracy.count)
        METER.count(meter.CONFIDENCE_RATED, "true", by=agreed)
        METER.count(meter.CONFIDENCE_RATED, "false", by=accuracy.count - agreed)


def _count_checks(context: StepContext, shown: Shown, states: Sequence[SentenceStatus]) -> None:
    stored = shown.verification
    hallucinated = answer_quality.hallucination_rate([states]).value
    if hallucinated is not None:
        METER.count(meter.JUDGED_ANSWERS, "true" if hallucinated else "false")
    METER.count(meter.CORRECTIONS, _correction(context, stored))
    checks = [
        check.status
        for check in stored.citation_checks
        if check.citation_number is not None and not check.item.endswith(":repair")
    ]
    _add(meter.CITATION_CHECKS, Counter(checks))
    cited = {citation.answer_start for citation in shown.citations}
    claims = [sentence for sentence in stored.sentences if sentence.status != SentenceStatus.NO_CLAIM]
    _add(meter.CLAIM_SENTENCES, Counter("true" if claim.start in cited else "false" for claim in claims))
    _count_answerability(stored.verification.checks)
    if asked := question_of(stored.verification.checks):
        METER.count(meter.QUESTIONS, asked["relevant"], "complete" if asked["complete"] else "open")


def _count_answerability(checks: Mapping[str, Any]) -> None:
    if "check_answerability" not in checks:
        return
    supported = answerable(checks)
    verdict = "not_checked" if supported is None else "supported" if supported else "rejected"
    METER.count(meter.ANSWERABILITY, verdict)


def answerable(checks: Mapping[str, Any]) -> bool | None:
    """Return whether the passages can answer the question, by the latest of its checks that gave a verdict."""
    again = checks.get("recheck_answerability", {}).get("supported")
    return checks["check_answerability"].get("supported") if again is None else again


def _correction(context: StepContext, stored: StoredVerification) -> str:
    if not stored.verification.attempts:
        return "none"
    first = context.rounds.get(0, {}).get(("assess", ""), {}).get("confidence")
    kept = stored.verification.draft_confidence
    return "improved" if first is not None and kept is not None and kept > first else "not_improved"


def _count_reranking(context: StepContext) -> None:
    first = context.rounds.get(0, {})
    scores = {item: outcome["score"] for (step, item), outcome in first.items() if step == "score_chunks"}
    if not scores:
        return
    selected = [str(key) for key in first.get(("select", ""), {}).get("selected", ())]
    METER.count(meter.RERANKED, "retrieved", by=len(scores))
    METER.count(meter.RERANKED, "selected", by=len(selected))
    before = [score for score in scores.values() if score is not None]
    after = [score for score in (scores.get(key) for key in selected) if score is not None]
    if before and after:
        METER.count(meter.RERANKINGS)
        METER.count(meter.RERANK_SCORES, "retrieved", by=sum(before) / len(before))
        METER.count(meter.RERANK_SCORES, "selected", by=sum(after) / len(after))


def _add(family: Family, counted: Mapping[str, int]) -> None:
    for label, count in counted.items():
        METER.count(family, label, by=count)
