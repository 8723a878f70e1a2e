"""Reports what a query left out because time or money ran short, or because it crashed its workers."""

from collections.abc import Iterator

from domain.query.budget import CODES
from services.core.context import Outcome, StepContext


def ran_out(context: StepContext) -> str | None:
    """The code of the budget that ran out before the round was finished, or None."""
    codes = (outcome.get("code") for outcome in context.outcomes.values())
    found = next((code for code in codes if code in CODES), None)
    return found or (context.budget.code if context.budget.has_used(1.0) else None)


def left_out_issues(context: StepContext) -> list[str]:
    """One line per reason, with the steps that it concerns."""
    steps: dict[str, list[str]] = {}
    for step, outcome in _all(context):
        if reason := outcome.get("degraded"):
            steps.setdefault(reason, []).append(step)
    return [f"Left out ({_named(names)}): {reason}." for reason, names in steps.items()]


def _all(context: StepContext) -> Iterator[tuple[str, Outcome]]:
    for _, outcomes in sorted(context.rounds.items()):
        for (step, _), outcome in sorted(outcomes.items()):
            yield step, outcome


def _named(steps: list[str]) -> str:
    return ", ".join(dict.fromkeys(step.replace("_", " ") for step in steps))
