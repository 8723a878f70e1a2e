"""Recomputes the citation coverage of an answer that was changed before publication (V10).

Otherwise a result would count citations that were removed. The alignment stays that of the answer as written, because
asking a model again would cost a call.
"""

from domain.correction.corrected_answer import Corrected
from domain.verdicts.weighted_scores import citation_coverage
from services.core.context import StepContext
from services.core.passages import identities
from services.reporting.repair_results import Repairs


def with_coverage(context: StepContext, corrected: Corrected, repairs: Repairs) -> StepContext:
    """Return the context with the coverage of the corrected answer; a check that was not made stays so."""
    outcome = context.outcome("check_coverage")
    if not (repairs.edits or corrected.removed) or not outcome or not outcome.get("verdict"):
        return context
    verdict = {**outcome["verdict"], "score": _coverage(context, corrected, repairs)}
    return context.with_outcomes("check_coverage", {"": {**outcome, "verdict": verdict}})


def _coverage(context: StepContext, corrected: Corrected, repairs: Repairs) -> float:
    """S1.3, over the passages that the answer was written from and those that a repair added, cited ones first by
    number."""
    cited = [old for old, _ in sorted(corrected.mapping.items(), key=lambda pair: pair[1])]
    others = [number for number in range(1, len(context.selection["selected"]) + 1) if number not in cited]
    return citation_coverage(corrected.text, identities([repairs.passages[number - 1] for number in (*cited, *others)]))
