"""Computes the three scores of S1 from the outcomes of the checks."""

from dataclasses import dataclass

from citewell_verify.verdicts.weighted_scores import (
    FACTS_WHEN_NOT_CHECKED,
    Part,
    Thresholds,
    Weights,
    facts_score,
    issues,
    overall,
)
from domain.query.answer_checks import AlignmentChecked, CoverageChecked, FactsChecked
from domain.query.outcomes import CHECK_ALIGNMENT, CHECK_COVERAGE
from services.core.context import StepContext


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """Row S1.8's scores and the issues that follow from them; None for a check that was not requested (N2)."""

    alignment: float | None
    coverage: float | None
    facts: float | None
    overall: float | None
    issues: list[str]


def score_answer(context: StepContext, facts_check: FactsChecked) -> AnswerScores:
    """Combine alignment, coverage and facts with the weights and thresholds of the query (S1.5).

    A check that was not requested (N2) has no weight and is no issue.
    """
    options = context.query.options
    alignment = _part(context.read(CHECK_ALIGNMENT))
    coverage = _part(context.read(CHECK_COVERAGE))
    facts = _facts(facts_check)
    weights = Weights(
        alignment=options.weight_alignment if alignment else 0.0,
        coverage=options.weight_coverage if coverage else 0.0,
        facts=options.weight_facts if facts else 0.0,
    )
    parts = (alignment or _UNASKED, coverage or _UNASKED, facts or _UNASKED)
    thresholds = Thresholds(options.alignment_threshold, options.coverage_threshold, options.facts_threshold)
    return AnswerScores(
        alignment=alignment.score if alignment else None,
        coverage=coverage.score if coverage else None,
        facts=facts.score if facts else None,
        overall=overall(*parts, weights) if any((weights.alignment, weights.coverage, weights.facts)) else None,
        issues=issues(*parts, thresholds),
    )


_UNASKED = Part(1.0)
_LEFT_NO_RESULT = "the check left no result"


def _part(check: AlignmentChecked | CoverageChecked | None) -> Part | None:
    if check is None:
        return Part(0.0, "not_checked", _LEFT_NO_RESULT)
    if check["status"] == "skipped":
        return None
    if check["verdict"] is None:
        return Part(0.0, "not_checked", check.get("reason", _LEFT_NO_RESULT))
    return Part(check["verdict"]["score"], check["status"], check.get("reason", ""))


def _facts(check: FactsChecked) -> Part | None:
    if check["status"] == "skipped":
        return None
    if check["verdict"] is None:
        return Part(FACTS_WHEN_NOT_CHECKED, "not_checked", check.get("reason", _LEFT_NO_RESULT))
    return Part(facts_score([fact["verified"] for fact in check["verdict"]["claims"]]))
