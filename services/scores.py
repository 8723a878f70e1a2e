"""The three scores of S1 from the outcomes of the checks."""

from dataclasses import dataclass

from domain.scoring import FACTS_WHEN_NOT_CHECKED, Part, Thresholds, Weights, facts_score, issues, overall
from services.step import Outcome, StepContext


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """Row S1.8's scores and the issues that follow from them."""

    alignment: float
    coverage: float
    facts: float
    overall: float
    issues: list[str]


def score_answer(context: StepContext) -> AnswerScores:
    """Combine alignment, coverage and facts with the weights and thresholds of the query (S1.5)."""
    options = context.query.options
    alignment = _part(context.outcome("check_alignment"))
    coverage = _part(context.outcome("check_coverage"))
    facts = _facts(context.outcome("check_facts"))
    weights = Weights(options.weight_alignment, options.weight_coverage, options.weight_facts)
    thresholds = Thresholds(options.alignment_threshold, options.coverage_threshold, options.facts_threshold)
    return AnswerScores(
        alignment=alignment.score,
        coverage=coverage.score,
        facts=facts.score,
        overall=overall(alignment, coverage, facts, weights),
        issues=issues(alignment, coverage, facts, thresholds),
    )


def _part(outcome: Outcome | None) -> Part:
    if outcome is None or outcome["verdict"] is None:
        return Part(0.0, "not_checked", _reason(outcome))
    return Part(outcome["verdict"]["score"], outcome["status"], outcome.get("reason", ""))


def _facts(outcome: Outcome | None) -> Part:
    if outcome is None or outcome["verdict"] is None:
        return Part(FACTS_WHEN_NOT_CHECKED, "not_checked", _reason(outcome))
    return Part(facts_score([claim["verified"] for claim in outcome["verdict"]["claims"]]))


def _reason(outcome: Outcome | None) -> str:
    return (outcome or {}).get("reason", "the check left no result")
