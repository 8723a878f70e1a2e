"""Results of one round's checks, also of those made while the answer was written: verdicts, states, scores (N1, N4, S1,
S2.2).

Results of checks that were made while the answer was written are stored by what was checked. The complete answer uses
those that it needs; missing ones are made then, and the others are wasted.
"""

from collections.abc import Collection, Container, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from citewell_verify.answers.statements import check_keys, deciding_items
from citewell_verify.judging.statement import Checked
from citewell_verify.verdicts.ruling import StoredRuling
from citewell_verify.verdicts.states import (
    FACTS_WHEN_NOT_CHECKED,
    PairVerdict,
    Part,
    SentenceStatus,
    Thresholds,
    Weights,
    facts_score,
    issues,
    overall,
)
from citewell_verify.verification.findings import Findings, JointVerdicts, Verdicts, findings_of, read_verdict
from db.queries.runs.steps import list_values
from db.session import reading
from domain.query.answer_checks import AlignmentChecked, CoverageChecked, FactsChecked
from domain.query.outcomes import (
    ASSESS,
    CHECK_ALIGNMENT,
    CHECK_COVERAGE,
    CHECK_EARLY,
    CHECK_STATEMENTS,
    SENTENCES,
    Assessed,
    CheckedEarly,
    Closed,
    ClosedSentence,
)
from services.core.context import StepContext
from services.judging.relevance import is_question_answered


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


PublishedSentence = tuple[int, int, int, str, str]
"""(index, start, end, text, status)."""


def early_checks(context: StepContext) -> dict[str, Checked]:
    return {key: checked for _, early in _batches(context) for key, checked in early["checks"].items()}


def states_so_far(context: StepContext, batches: Collection[str]) -> list[str]:
    with reading() as session:
        values = list_values(session, context.query.id, context.round, CHECK_EARLY, batches)
    return [status for value in values for _, status in value.get("told", [])]


def published_early(context: StepContext) -> Set[PublishedSentence]:
    return {
        (said["index"], said["start"], said["end"], said["text"], status)
        for sentences, early in _batches(context)
        for place, status in early["told"]
        for said in (sentences[place],)
    }


def _batches(context: StepContext) -> Iterator[tuple[list[ClosedSentence], CheckedEarly]]:
    for (step, item), outcome in context.outcomes.items():
        # A batch that broke, or was left out, has no checks; its sentences are checked with the rest.
        if step == CHECK_EARLY and "checks" in outcome:
            yield Closed(**context.outcomes[SENTENCES, item])["sentences"], CheckedEarly(**outcome)


def draft_keys(context: StepContext) -> dict[str, str]:
    return check_keys(context.draft["text"], context.citable)


def adopted_checks(context: StepContext) -> dict[str, Checked]:
    if not (early := early_checks(context)):
        return {}
    return {item: early[key] for item, key in draft_keys(context).items() if key in early}


def unchecked_items(context: StepContext) -> list[str]:
    early = early_checks(context)
    keys = draft_keys(context).items()
    return [item for item, key in keys if key not in early and context.read(CHECK_STATEMENTS, item) is None]


def undispatched_items(context: StepContext) -> list[str]:
    keys, dispatched = draft_keys(context), context.draft.get("early", [])
    return [item for item in unchecked_items(context) if keys[item] not in dispatched]


def collect_findings(context: StepContext, joint: JointVerdicts | None = None) -> Findings:
    """Read the outcomes of the checks of `context.round`; a check without an outcome is `not_checked`.

    The `joint` verdicts (V7) are by default those that `assess` stored.
    """
    statements = context.statements
    verdicts = _read_verdicts(context, deciding_items(statements, len(context.selection["selected"])))
    threshold = context.query.options.citation_confidence
    return findings_of(
        context.draft["text"],
        statements,
        verdicts,
        _stored_together(context.read(ASSESS)) if joint is None else joint,
        threshold,
        unasked=_is_unasked(context, verdicts),
    )


def together_json(joint: JointVerdicts) -> dict[str, dict[str, StoredRuling]]:
    """The `together` of an `Assessed`, whose keys are text because they are those of JSON."""
    rulings: dict[str, dict[str, StoredRuling]] = {}
    for (index, number), verdict in joint.items():
        rulings.setdefault(str(index), {})[str(number)] = verdict.as_json()
    return rulings


def _stored_together(assessed: Assessed | None) -> JointVerdicts:
    return {
        (int(index), int(number)): PairVerdict.from_json(int(number), ruling)
        for index, rulings in (assessed or {}).get("together", {}).items()
        for number, ruling in rulings.items()
    }


def is_proven_by_parts(context: StepContext, findings: Findings) -> bool:
    """Say whether its sources support every sentence that cites one, and the supported ones answer the question."""
    return _answers(context, findings, findings.supported_texts())


def is_partly_proven(context: StepContext, findings: Findings, repaired: Container[int]) -> bool:
    """Say whether the supported sentences answer the question, and no source refutes another sentence of the answer.

    A sentence that is supported in part may be in the answer, because it is shown with its state. Those that were
    `repaired`, by their indexes, do not count.
    """
    return _answers(context, findings, findings.supported_texts(repaired, (SentenceStatus.PARTIAL,)))


def _answers(context: StepContext, findings: Findings, proven: Sequence[str]) -> bool:
    claims = sum(statement.claim for statement in findings.statements)
    return is_question_answered(context, " ".join(proven), is_shortened=len(proven) < claims)


def _is_unasked(context: StepContext, verdicts: Verdicts) -> bool:
    checks = [outcome for (step, _), outcome in context.outcomes.items() if step == CHECK_STATEMENTS]
    return bool(verdicts and checks) and all(outcome["status"] == "skipped" for outcome in checks)


def _read_verdicts(context: StepContext, deciding: Mapping[tuple[int, int | None], str]) -> Verdicts:
    early = adopted_checks(context)
    return {
        pair: read_verdict(pair[1], context.read(CHECK_STATEMENTS, item) or early.get(item))
        for pair, item in deciding.items()
    }
