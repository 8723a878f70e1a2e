"""Reads the results of a round's repairs (N5), and the coverage of what is left (V10)."""

from citewell_verify.correction.corrected_answer import Corrected
from citewell_verify.judging.shown import names_of_passage
from citewell_verify.verdicts.weighted_scores import citation_coverage
from citewell_verify.verification import repairs as repairing
from citewell_verify.verification.findings import Findings
from citewell_verify.verification.repairs import Repaired, Repairs, repair_item, repairs_of
from domain.query.answer_checks import Score
from domain.query.outcomes import ASSESS, CHECK_COVERAGE, REPAIR_STATEMENTS
from services.core.context import StepContext


def read_repairs(context: StepContext) -> Repairs:
    done = _done(context)
    keys = context.selection["selected"]
    added = list(dict.fromkeys(key for repaired in done.values() for key in repaired["keys"] if key not in keys))
    return repairs_of(done, [*context.selected_passages(), *context.passages(added)])


def corrected_draft(context: StepContext, findings: Findings, repairs: Repairs) -> Corrected:
    """The draft with repairs and without its wrong citations (S5.4); a given answer (N2) keeps its numbers."""
    threshold, renumber = context.query.options.citation_confidence, not context.query.is_external
    return repairing.corrected_draft(findings, repairs, context.citable, threshold, renumber=renumber)


def passages_to_conclude(context: StepContext) -> list[int]:
    repaired = (key for repair in _done(context).values() for key in repair["keys"])
    return [*context.selection["selected"], *context.selection["ranked"], *repaired]


def _done(context: StepContext) -> dict[int, Repaired]:
    failing = assessed["failing"] if (assessed := context.read(ASSESS)) else []
    outcomes = {index: context.read(REPAIR_STATEMENTS, repair_item(index)) for index in failing}
    return {index: repaired for index, repaired in outcomes.items() if repaired}


def with_coverage(context: StepContext, corrected: Corrected, repairs: Repairs) -> StepContext:
    """Return the context with the coverage of the corrected answer; a check that was not made stays so.

    Otherwise a result would count citations that were removed. The alignment stays that of the answer as written,
    because asking a model again would cost a call.
    """
    check = context.read(CHECK_COVERAGE)
    if not (repairs.edits or corrected.removed) or not check or not check["verdict"]:
        return context
    score = Score(score=_coverage(context, corrected, repairs))
    return context.with_outcomes(CHECK_COVERAGE, {"": {**check, "verdict": score}})


def _coverage(context: StepContext, corrected: Corrected, repairs: Repairs) -> float:
    """The coverage of the passages that the answer was written from and those that a repair added, cited ones first
    (S1.3)."""
    cited = [old for old, _ in sorted(corrected.mapping.items(), key=lambda pair: pair[1])]
    others = [number for number in range(1, len(context.selection["selected"]) + 1) if number not in cited]
    shown = [repairs.passages[number - 1] for number in (*cited, *others)]
    return citation_coverage(corrected.text, list(map(names_of_passage, shown)))
