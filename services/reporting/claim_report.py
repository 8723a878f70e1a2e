"""Derives the checks of S1.4 and S2.1 from the verdicts on the sentences, without a model."""

from collections.abc import Sequence
from typing import Any

from citewell_verify.evidence.passages import Passage
from citewell_verify.judging.model import Checked
from citewell_verify.verdicts.claim_verdicts import (
    ClaimingSentence,
    claim_status,
    key_facts,
    key_sentences,
    suggested_corrections,
)
from citewell_verify.verdicts.states import SentenceStatus
from db.models import VerificationClaim
from services.core.context import Outcome, StepContext
from services.reporting.rows import Judged

_LEFT_NO_RESULT = "the check left no result"


def facts_check(context: StepContext, judged: Sequence[Judged], passages: Sequence[Passage]) -> Outcome:
    """S1.4: one to five key claims. There is no score when one of them could not be checked, because a score over some
    of the facts would mean something else. Verdict number N of `judged` is about the passage at place N-1."""
    if skipped := _skipped(context, "check_facts"):
        return skipped
    sentences = _claiming(judged)
    if unchecked := [
        sentence for sentence in key_sentences(sentences) if sentence.status is SentenceStatus.NOT_CHECKED
    ]:
        return _not_checked(unchecked[0])
    facts = key_facts(sentences, [passage.chunk_id for passage in passages])
    return _checked({"claims": [fact.as_json() for fact in facts]})


def claims_check(context: StepContext, judged: Sequence[Judged]) -> Outcome:
    """S2.1: suggested corrections; `claim_rows` are the claims. Not checked only if no sentence was (N4)."""
    if skipped := _skipped(context, "check_claims"):
        return skipped
    sentences = _claiming(judged)
    if sentences and all(sentence.status is SentenceStatus.NOT_CHECKED for sentence in sentences):
        return _not_checked(sentences[0])
    return _checked({"corrections": suggested_corrections(sentences)})


def claim_rows(context: StepContext, judged: Sequence[Judged]) -> list[VerificationClaim]:
    """S2.1: one claim for each checked sentence that makes one, with that sentence's state and evidence."""
    if _skipped(context, "check_claims"):
        return []
    claims = [(sentence, status) for sentence in judged if (status := claim_status(sentence.status))]
    return [
        VerificationClaim(
            position=place,
            claim=" ".join(sentence.statement.text.split()),
            status=status.name,
            evidence=sentence.evidence[0],
            source=sentence.evidence[1],
            reasoning=sentence.reason,
        )
        for place, (sentence, status) in enumerate(claims)
    ]


def _claiming(judged: Sequence[Judged]) -> list[ClaimingSentence]:
    claiming = (sentence for sentence in judged if sentence.status is not SentenceStatus.NO_CLAIM)
    return [ClaimingSentence(sentence.statement.text, sentence.status, sentence.checks) for sentence in claiming]


def _skipped(context: StepContext, check: str) -> Outcome | None:
    """The outcome of a check that the request left out (N2), else None."""
    outcome = context.outcome(check)
    return outcome if outcome and outcome["status"] == "skipped" else None


def _checked(verdict: dict[str, Any]) -> Outcome:
    return {**Checked(status="checked", verdict=verdict)}


def _not_checked(sentence: ClaimingSentence) -> Outcome:
    reasons = (check.explanation for check in sentence.checks if check.status == "not_checked")
    return {**Checked(status="not_checked", verdict=None, reason=next(reasons, _LEFT_NO_RESULT))}
