"""Results of one round's checks: verdicts, states of the draft's sentences, confidence (N4, S2.2)."""

from collections.abc import Container, Mapping, Sequence

from citewell_verify.answers.statements import deciding_items
from citewell_verify.verdicts.ruling import StoredRuling
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus
from citewell_verify.verification.findings import Findings, JointVerdicts, Verdicts, findings_of, read_verdict
from domain.query.outcomes import ASSESS, CHECK_STATEMENTS, Assessed
from services.core.context import StepContext
from services.judging.question_answered import is_question_answered
from services.verification.streamed_results import adopted_checks


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
