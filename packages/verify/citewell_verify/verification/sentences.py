"""The sentences of an answer with their states and their quoted evidence, before and after repairs (N3, N4, N5); and
the claims (S2.1), the key facts (S1.4) and the single confidence (V9) that follow from them.

A sentence is judged once in a round. Claims and facts follow from this one verdict: as two more opinions of the same
model about the same words they would sometimes disagree with it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from citewell_verify.answers.statements import Statement
from citewell_verify.correction.corrected_answer import Corrected
from citewell_verify.evidence.passages import Passage
from citewell_verify.evidence.spans import bounded_evidence, claim_relevance, row_or_best_span
from citewell_verify.markers.stripping import plain_text
from citewell_verify.question.relevance import answer_relevance, measured_languages
from citewell_verify.text.words import content_stems
from citewell_verify.verdicts.confidence import (
    Calibration,
    answer_confidence,
    claim_status,
    confidence_label,
    why_uncalibrated,
)
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus, sentence_status, sentence_support
from citewell_verify.verification.findings import Findings
from citewell_verify.verification.repairs import Repairs

SPAN_CHARS = (50, 200)
"""The shortest and longest span that is quoted, in characters, unless the request asks for others."""

Quoted = tuple[str | None, dict[str, Any] | None]
"""(words of a source, their place), or (None, None)."""


UNCHECKED = (SentenceStatus.NO_CLAIM, SentenceStatus.NOT_CHECKED)
NOTHING_SAID = "The answer that was written says nothing."
NOTHING_LEFT = "No statement of the answer that was written could be supported by the documents."
_SAME_MATTER = 0.6  # from this share of a statement's words in a source on, both are about the same matter
MOST_FACTS = 5
"""The most key facts of an answer; S1.4 requires one to five."""


@dataclass(frozen=True, slots=True)
class CitedSpan:
    """The words of a source that a citation of the answer points to.

    `answer_start` is the start of the sentence that the citation belongs to, `status` the verdict on the citation,
    `place` the place of `text`.
    """

    answer_start: int
    status: str
    confidence: float
    text: str
    place: dict[str, Any]


def sentence_evidence(
    statement: Statement,
    citations: Sequence[CitedSpan],
    checks: Sequence[PairVerdict],
    passages: Sequence[Passage],
    span_chars: tuple[int, int],
) -> Quoted:
    """The span of the best citation, or else the evidence of a check, or else the best span of any passage.

    A span has from `span_chars[0]` to `span_chars[1]` characters if the text allows it.
    """
    cited = [span for span in citations if span.answer_start == statement.start and span.status == "accurate"]
    if cited:
        best = max(cited, key=lambda span: span.confidence)
        return best.text, best.place
    checked = (check_evidence(check, statement.text, passages) for check in checks)
    if quoted := next((quoted for quoted in checked if quoted[0]), None):
        return quoted
    spans = [
        (passage, *row_or_best_span(passage.readable, statement.text, passage.readable_context, *span_chars))
        for passage in passages
    ]
    usable = [(claim_relevance(statement.text, words), *span) for span in spans if (words := span[0].words(*span[1:]))]
    if not usable:
        return None, None
    _, passage, start, end = max(usable, key=lambda span: span[0])
    return _quoted(passage, start, end)


def check_evidence(check: PairVerdict, statement: str, passages: Sequence[Passage]) -> Quoted:
    """The words that the verdict on the `statement` quotes, shortened, because a judge may quote all that it was
    shown.
    """
    place = check.evidence
    if place is None:
        return None, None
    index = check.number - 1 if check.number else place.source
    if index >= len(passages):
        return None, None
    return _quoted(passages[index], *bounded_evidence(passages[index].text, statement, place.start, place.end))


def _quoted(passage: Passage, start: int, end: int) -> Quoted:
    if passage.words(start, end) is None:
        return None, None
    return passage.text[start:end], _location(passage, passage.start_index + start, passage.start_index + end)


def _location(passage: Passage, start: int, end: int) -> dict[str, Any]:
    return {
        "document_id": str(passage.document_id),
        "document_name": passage.filename,
        "chunk_id": passage.chunk_id,
        "page_number": passage.page_at(start),
        "section": passage.section_at(start),
        "source_start": start,
        "source_end": end,
    }


@dataclass(frozen=True, slots=True)
class Judged:
    """One sentence with its state, the verdicts behind it and its evidence."""

    statement: Statement
    status: SentenceStatus
    checks: Sequence[PairVerdict]
    evidence: Quoted

    @property
    def words(self) -> str:
        return " ".join(self.statement.text.split())

    @property
    def reason(self) -> str:
        return "; ".join(dict.fromkeys(check.explanation for check in self.checks if check.explanation))


def judged_sentence(
    statement: Statement,
    status: SentenceStatus,
    checks: Sequence[PairVerdict],
    citations: Sequence[CitedSpan],
    passages: Sequence[Passage],
    span_chars: tuple[int, int],
) -> Judged:
    """Return the sentence with the words of a source that support it, or, if it is not supported, that deny it."""
    if status in (SentenceStatus.SUPPORTED, SentenceStatus.PARTIAL):
        evidence = sentence_evidence(statement, citations, checks, passages, span_chars)
    else:
        denials = (check for check in checks if check.relation == "contradicts")
        quotes = (check_evidence(check, statement.text, passages) for check in denials)
        evidence = next((quote for quote in quotes if quote[0]), (None, None))
    return Judged(statement, status, checks, evidence)


def calibrated_support(judged: Judged, calibration: Calibration | None) -> float | None:
    """The probability that the sources state the sentence, 0..1; None if it is unchecked or claims nothing (N4, N8)."""
    support = None if judged.status in UNCHECKED else sentence_support(judged.checks)
    return support if support is None or calibration is None else calibration.apply(support)


def state_after_repair(
    statement: Statement, findings: Findings, repairs: Repairs, threshold: float
) -> tuple[SentenceStatus, Sequence[PairVerdict]]:
    """Return the state of a sentence of the corrected answer, and the verdicts behind it.

    A sentence that another source supports is only supported in part if its first source surely denies it (N4).
    """
    repaired = repairs.verdicts.get(statement.index)
    checks = [repaired] if repaired else findings.checks_of(statement.index)
    status = sentence_status(statement.claim, checks, threshold)
    disputed = _disputes(statement, findings, repairs, threshold) if repaired else []
    if disputed and status is SentenceStatus.SUPPORTED:
        return SentenceStatus.PARTIAL, [*checks, *disputed]
    return status, checks


def _disputes(statement: Statement, findings: Findings, repairs: Repairs, threshold: float) -> list[PairVerdict]:
    if repairs.edits[statement.index].kind != "reattributed":
        return []

    def is_about_the_same(check: PairVerdict) -> bool:
        passages = repairs.passages if check.number is None else [repairs.passages[check.number - 1]]
        return any(claim_relevance(statement.text, passage.readable) >= _SAME_MATTER for passage in passages)

    return [
        check
        for check in findings.checks_of(statement.index)
        if check.relation == "contradicts" and (check.confidence or 0.0) >= threshold and is_about_the_same(check)
    ]


def is_grounded(states: Sequence[SentenceStatus]) -> bool:
    """Return whether there is at least one claim, and every sentence that claims something is supported."""
    claims = [state for state in states if state is not SentenceStatus.NO_CLAIM]
    return bool(claims) and all(state is SentenceStatus.SUPPORTED for state in claims)


def nothing_left(corrected: Corrected, repairs: Repairs) -> str | None:
    """The reason why the corrected answer says nothing: its claims were dropped, or it never had more than markers
    (S2.6). None if it says something.
    """
    dropped = any(edit.kind == "dropped" for edit in repairs.edits.values())
    if dropped and not any(statement.claim for statement in corrected.statements):
        return NOTHING_LEFT
    is_said = any(character.isalnum() for character in plain_text(corrected.text).text)
    return None if is_said else NOTHING_SAID


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
    """The confidence in an answer: `number` is a probability, 0..1 in hundredths; None if nothing was claimed or
    checked. `label` is its level.

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

    If the `probability` is None, it is computed from the words of both. `is_models_own`: a language model judged the
    statements and the question, so its own confidence is the number; the rules' numbers are fitted.
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
