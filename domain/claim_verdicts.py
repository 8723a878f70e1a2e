"""What remains of a model's verdicts on the claims of an answer once its evidence is looked up (S2.1)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from domain.bearing import bears_on, hardly_says
from domain.disagreements import Disagreement, disagreements
from domain.evidence import best_text_span, claim_relevance
from domain.quotes import Located, locate_quote
from domain.sentences import split_sentences
from domain.words import content_stems

NO_EVIDENCE = "No evidence was quoted."
EVIDENCE_NOT_FOUND = "The quoted evidence is not in any source."
EVIDENCE_TOO_FAR = "The quoted evidence has hardly any words of the claim."

_MIN_RATIO = 0.85  # a quote less similar than this was not copied, and what it changes may be what matters
_LONGEST_QUOTE = 2000  # looking for something similar takes time in proportion to the square of the quote
_EXACT = 1.01  # a ratio that nothing has, so that only a quotation word for word is found


class ClaimStatus(StrEnum):
    """The seed's three states; models write them in capitals, so names are read in any case."""

    SUPPORTED = "supported"
    PARTIALLY_SUPPORTED = "partially_supported"
    UNSUPPORTED = "unsupported"

    @classmethod
    def _missing_(cls, value: object) -> "ClaimStatus | None":
        return next((each for each in cls if isinstance(value, str) and value.strip().lower() == each.value), None)


@dataclass(frozen=True, slots=True)
class ReportedClaim:
    """One claim as the model reported it; `evidence` is what it says to have copied from a source, '' for nothing."""

    claim: str
    status: ClaimStatus
    evidence: str
    reasoning: str


@dataclass(frozen=True, slots=True)
class EvidencePlace:
    """The evidence is `sources[source][start:end]`, in code points; `score` is 1.0 if it is there word for word."""

    source: int
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim whose evidence was looked up. `evidence` are the source's own words at `place`; both None if not found.

    `disagreements` is what made a claim with evidence unsupported; `reasoning` ends with why the status fell.
    """

    claim: str
    status: ClaimStatus
    evidence: str | None
    reasoning: str
    place: EvidencePlace | None
    disagreements: tuple[Disagreement, ...] = ()


def check_claim(reported: ReportedClaim, sources: Sequence[str]) -> CheckedClaim:
    """Return the claim with what counts of its evidence (S2.1). Its status only falls; the first line that applies:

    | the claim                                                                     | is          |
    |-------------------------------------------------------------------------------|-------------|
    | was reported unsupported                                                      | unsupported |
    | quotes no evidence, or none that is in a source (exactly, or 85 % similar)    | unsupported |
    | states a number, date, unit or name otherwise than the evidence, or denies it | unsupported |
    | is supported, but the evidence or its source has hardly any of its words      | partially … |
    | is none of these                                                              | as reported |
    """
    place = locate_evidence(reported.evidence, sources)
    contradictions: tuple[Disagreement, ...] = ()
    status, reason = reported.status, ""
    if status is not ClaimStatus.UNSUPPORTED:
        contradictions = _contradictions(reported.claim, sources[place.source], place) if place else ()
        reason = _why_it_falls(reported, place, contradictions)
        status = ClaimStatus.UNSUPPORTED if reason else status
    if status is ClaimStatus.SUPPORTED and place and _is_far(reported.claim, sources[place.source], place):
        status, reason = ClaimStatus.PARTIALLY_SUPPORTED, EVIDENCE_TOO_FAR
    return CheckedClaim(
        claim=reported.claim,
        status=status,
        evidence=sources[place.source][place.start : place.end] if place else None,
        reasoning=" ".join(filter(None, (reported.reasoning.strip(), reason))),
        place=place,
        disagreements=contradictions,
    )


def locate_evidence(evidence: str, sources: Sequence[str]) -> EvidencePlace | None:
    """Return where `evidence` stands: the first source that has it word for word, else the most similar passage.

    None if no source has anything 85 % similar, or if it is stop words only, which prove nothing.
    """
    if not content_stems(evidence):
        return None
    least = _MIN_RATIO if len(evidence) <= _LONGEST_QUOTE else _EXACT
    best: EvidencePlace | None = None
    for index, source in enumerate(sources):
        found = locate_quote(evidence, source, min_ratio=least)
        if found and (best is None or found.score > best.score):
            best = _place(index, found)
        if found and found.exact:
            break
    return best


def is_grounded(claims: Sequence[CheckedClaim]) -> bool:
    """Say whether every claim is supported; an answer without a claim is grounded in nothing (S2.1, S2.6)."""
    return bool(claims) and all(claim.status is ClaimStatus.SUPPORTED for claim in claims)


def gaps(claims: Sequence[CheckedClaim]) -> list[str]:
    """Return the texts of the claims that need more evidence, each once: unsupported ones, then partial ones (S2.3)."""
    texts = [*_texts(claims, ClaimStatus.UNSUPPORTED), *_texts(claims, ClaimStatus.PARTIALLY_SUPPORTED)]
    return list(dict.fromkeys(texts))


def _texts(claims: Iterable[CheckedClaim], status: ClaimStatus) -> list[str]:
    return [claim.claim for claim in claims if claim.status is status]


def _place(index: int, found: Located) -> EvidencePlace:
    return EvidencePlace(index, found.start, found.end, found.score)


def _why_it_falls(reported: ReportedClaim, place: EvidencePlace | None, contradictions: Sequence[Disagreement]) -> str:
    if place is None:
        return EVIDENCE_NOT_FOUND if reported.evidence.strip() else NO_EVIDENCE
    return "".join(f"But {contradictions[0].message}." for _ in contradictions[:1])


def _is_far(claim: str, source: str, place: EvidencePlace) -> bool:
    return not bears_on(claim, source[place.start : place.end]) or hardly_says(source, claim)


def _contradictions(claim: str, source: str, place: EvidencePlace) -> tuple[Disagreement, ...]:
    """Return what the evidence's own sentences say otherwise, else what the source does about what they leave out.

    Evidence that says less of the claim than another sentence does not speak for the source: that one counts, too.
    """
    own = _sentences_at(source, place)
    found = disagreements(claim, own)
    if found:
        return _stated(found, claim) or _stated(disagreements(claim, source), claim)
    start, end = best_text_span(source, claim)
    if claim_relevance(claim, own) >= claim_relevance(claim, source[start:end]):
        return ()
    return _stated(disagreements(claim, source), claim)


def _stated(found: Sequence[Disagreement], claim: str) -> tuple[Disagreement, ...]:
    """Return the disagreements in which the source says something else instead.

    A value that the claim has as well is nothing else: "30 days, or 60 for members" is not denied by "30 days".
    """
    return tuple(each for each in found if each.kind == "negation" or _is_rival(each, claim))


def _is_rival(found: Disagreement, claim: str) -> bool:
    if found.source_value is None:
        return False
    if found.kind == "name":
        return claim_relevance(found.source_value, claim) < 1
    return bool(disagreements(found.source_value, claim))


def _sentences_at(source: str, place: EvidencePlace) -> str:
    touched = [each for each in split_sentences(source) if each.end > place.start and each.start < place.end]
    return source[touched[0].start : touched[-1].end]
