"""Derives the claims of an answer (S2.1), its key facts (S1.4) and its single confidence (V9) from the verdicts on
its sentences.

A sentence is judged once in a round. Claims and facts used to be two more opinions of the same model about the same
words, and published results contained disagreements among the three. Now all follow from the one verdict.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict

from citewell_verify.question.relevance import answer_relevance, measured_languages
from citewell_verify.text.words import content_stems
from citewell_verify.verdicts.confidence import (
    Calibration,
    answer_confidence,
    claim_status,
    confidence_label,
    why_uncalibrated,
)
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus, sentence_support
from citewell_verify.verification.sentences import Judged, calibrated_support

MOST_FACTS = 5
"""Key facts of an answer; S1.4 requires one to five."""


class KeyFact(TypedDict):
    """Row S1.4: one key claim; `supporting_sources` are chunk ids, `confidence` is 0..1, that of `verified`."""

    claim: str
    verified: bool
    supporting_sources: list[str]
    confidence: float


def suggested_corrections(sentences: Iterable[Judged]) -> list[str]:
    """Row S2.1: the differences between sentences without full support and their sources, each once."""
    open_ones = (
        sentence
        for sentence in sentences
        if claim_status(sentence.status) and sentence.status is not SentenceStatus.SUPPORTED
    )
    stated = (text.strip() for sentence in open_ones for check in sentence.checks for text in check.differences)
    return list(dict.fromkeys(filter(None, stated)))


def key_sentences(sentences: Sequence[Judged]) -> list[Judged]:
    """Return the most informative sentences, at most five and in their order; the same words count once (S1.4)."""
    distinct = list({sentence.words.casefold(): sentence for sentence in reversed(sentences)}.values())[::-1]
    stems = [len(content_stems(sentence.statement.text)) for sentence in distinct]
    fullest = sorted(range(len(distinct)), key=lambda place: -stems[place])[:MOST_FACTS]
    return [distinct[place] for place in sorted(fullest)]


def key_facts(sentences: Sequence[Judged], chunk_ids: Sequence[str]) -> list[KeyFact]:
    """Return the key claims of checked sentences (S1.4); source number N of the verdicts has the id at place N-1."""
    return [_fact(sentence, chunk_ids) for sentence in key_sentences(sentences)]


def _fact(sentence: Judged, chunk_ids: Sequence[str]) -> KeyFact:
    verified = sentence.status is SentenceStatus.SUPPORTED
    support = sentence_support(sentence.checks) or 0.0
    places = [place for check in sentence.checks if (place := _supporting(check)) is not None] if verified else []
    return KeyFact(
        claim=sentence.words,
        verified=verified,
        supporting_sources=list(dict.fromkeys(chunk_ids[place] for place in places if place < len(chunk_ids))),
        confidence=round(support if verified else 1 - support, 3),
    )


def _supporting(check: PairVerdict) -> int | None:
    if not check.is_accurate or check.relation != "supports":
        return None
    if check.number is not None:
        return check.number - 1
    return check.evidence.source if check.evidence else None


@dataclass(frozen=True, slots=True)
class AnswerConfidence:
    """`number` is a probability, 0..1 in hundredths; None where nothing was claimed or checked. `label` is its level.

    `why_not` says why the calibration of the judge does not apply to this answer, if it does not.
    """

    number: float | None
    label: str | None
    why_not: str | None


def confidence_of(
    question: str,
    answer: str,
    judged: Sequence[Judged],
    probability: float | None,
    calibration: Calibration | None,
    *,
    is_models_own: bool,
) -> AnswerConfidence:
    """Return the confidence of `answer` from its `judged` sentences and the `probability` that it answers `question`.

    None for the probability: it is computed from the words of both. `is_models_own`: a language model judged the
    statements and the question, so its verdicts are the number; those of the rules are fitted.
    """
    supports = [
        calibrated_support(sentence, calibration)
        for sentence in judged
        if sentence.status is not SentenceStatus.NO_CLAIM
    ]
    relevance = answer_relevance(question, answer) if probability is None else probability
    measured = () if is_models_own else measured_languages()
    why_not = why_uncalibrated(answer, calibration, question, measured) if calibration else None
    number = answer_confidence(supports, relevance)
    return AnswerConfidence(
        number, confidence_label(number, calibration, why_not, is_models_own=is_models_own), why_not
    )
