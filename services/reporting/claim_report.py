"""Derives the checks of S1.4 and S2.1 from the verdicts on the sentences, without a model."""

from collections.abc import Sequence

from citewell_verify.evidence.passages import Passage
from citewell_verify.verdicts.confidence import claim_status
from citewell_verify.verdicts.states import SentenceStatus
from citewell_verify.verification.claims import key_facts, key_sentences, suggested_corrections
from citewell_verify.verification.sentences import Judged
from db.models import VerificationClaim
from domain.query.answer_checks import ClaimsChecked, Corrections, FactsChecked, KeyFacts
from domain.query.outcomes import CHECK_CLAIMS, CHECK_FACTS
from services.core.context import StepContext

_LEFT_NO_RESULT = "the check left no result"


def facts_check(context: StepContext, judged: Sequence[Judged], passages: Sequence[Passage]) -> FactsChecked:
    """S1.4: one to five key claims. There is no score when one of them could not be checked, because a score over some
    of the facts would mean something else. Verdict number N of `judged` is about the passage at place N-1."""
    if (asked := context.read(CHECK_FACTS)) and asked["status"] == "skipped":
        return asked
    sentences = _claiming(judged)
    if unchecked := [
        sentence for sentence in key_sentences(sentences) if sentence.status is SentenceStatus.NOT_CHECKED
    ]:
        return FactsChecked(status="not_checked", verdict=None, reason=_why_not(unchecked[0]))
    facts = key_facts(sentences, [passage.chunk_id for passage in passages])
    return FactsChecked(status="checked", verdict=KeyFacts(claims=facts))


def claims_check(context: StepContext, judged: Sequence[Judged]) -> ClaimsChecked:
    """S2.1: suggested corrections; `claim_rows` are the claims. Not checked only if no sentence was (N4)."""
    if (asked := context.read(CHECK_CLAIMS)) and asked["status"] == "skipped":
        return asked
    sentences = _claiming(judged)
    if sentences and all(sentence.status is SentenceStatus.NOT_CHECKED for sentence in sentences):
        return ClaimsChecked(status="not_checked", verdict=None, reason=_why_not(sentences[0]))
    return ClaimsChecked(status="checked", verdict=Corrections(corrections=suggested_corrections(sentences)))


def claim_rows(context: StepContext, judged: Sequence[Judged]) -> list[VerificationClaim]:
    """S2.1: one claim for each checked sentence that makes one, with that sentence's state and evidence."""
    if (asked := context.read(CHECK_CLAIMS)) and asked["status"] == "skipped":
        return []
    claims = [(sentence, status) for sentence in judged if (status := claim_status(sentence.status))]
    return [
        VerificationClaim(
            position=place,
            claim=sentence.words,
            status=status.name,
            evidence=sentence.evidence[0],
            source=sentence.evidence[1],
            reasoning=sentence.reason,
        )
        for place, (sentence, status) in enumerate(claims)
    ]


def _claiming(judged: Sequence[Judged]) -> list[Judged]:
    return [sentence for sentence in judged if sentence.status is not SentenceStatus.NO_CLAIM]


def _why_not(sentence: Judged) -> str:
    reasons = (check.explanation for check in sentence.checks if check.status == "not_checked")
    return next(reasons, _LEFT_NO_RESULT)
