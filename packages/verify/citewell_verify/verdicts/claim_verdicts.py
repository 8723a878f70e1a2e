"""Derives the claims of an answer (S2.1) and its key facts (S1.4) from the verdicts on its sentences.

A sentence is judged once in a round. Claims and facts used to be two more opinions of the same model about the same
words, and published results contained disagreements among the three. Now all follow from the one verdict.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from citewell_verify.text.words import content_stems
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus, sentence_support

MOST_FACTS = 5
"""Key facts of an answer; S1.4 requires one to five."""


class ClaimStatus(StrEnum):
    """The seed's three states; it writes them in capitals, so names are read in any case."""

    SUPPORTED = "supported"
    PARTIALLY_SUPPORTED = "partially_supported"
    UNSUPPORTED = "unsupported"

    @classmethod
    def _missing_(cls, value: object) -> "ClaimStatus | None":
        return next(
            (status for status in cls if isinstance(value, str) and value.strip().lower() == status.value), None
        )


_AS_CLAIM: Mapping[SentenceStatus, ClaimStatus] = MappingProxyType(
    {
        SentenceStatus.SUPPORTED: ClaimStatus.SUPPORTED,
        SentenceStatus.PARTIAL: ClaimStatus.PARTIALLY_SUPPORTED,
        SentenceStatus.CONTRADICTED: ClaimStatus.UNSUPPORTED,
        SentenceStatus.UNSUPPORTED: ClaimStatus.UNSUPPORTED,
    }
)


def claim_status(status: SentenceStatus) -> ClaimStatus | None:
    """Return the state of the claim that a sentence makes; None if it makes none or was not checked (N4)."""
    return _AS_CLAIM.get(status)


@dataclass(frozen=True, slots=True)
class ClaimingSentence:
    """A sentence that claims something: its state and the verdicts that it follows from."""

    text: str
    status: SentenceStatus
    checks: Sequence[PairVerdict]

    @property
    def words(self) -> str:
        return " ".join(self.text.split())


@dataclass(frozen=True, slots=True)
class KeyFact:
    """Row S1.4: one key claim; `supporting_sources` are chunk ids, `confidence` is 0..1, that of `verified`."""

    claim: str
    verified: bool
    supporting_sources: list[str]
    confidence: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def suggested_corrections(sentences: Iterable[ClaimingSentence]) -> list[str]:
    """Row S2.1: the differences between sentences without full support and their sources, each once."""
    open_ones = (
        sentence
        for sentence in sentences
        if sentence.status in _AS_CLAIM and sentence.status is not SentenceStatus.SUPPORTED
    )
    stated = (text.strip() for sentence in open_ones for check in sentence.checks for text in check.differences)
    return list(dict.fromkeys(filter(None, stated)))


def key_sentences(sentences: Sequence[ClaimingSentence]) -> list[ClaimingSentence]:
    """Return the most informative sentences, at most five and in their order; the same words count once (S1.4)."""
    distinct = list({sentence.words.casefold(): sentence for sentence in reversed(sentences)}.values())[::-1]
    stems = [len(content_stems(sentence.text)) for sentence in distinct]
    fullest = sorted(range(len(distinct)), key=lambda place: -stems[place])[:MOST_FACTS]
    return [distinct[place] for place in sorted(fullest)]


def key_facts(sentences: Sequence[ClaimingSentence], chunk_ids: Sequence[str]) -> list[KeyFact]:
    """Return the key claims of checked sentences (S1.4); source number N of the verdicts has the id at place N-1."""
    return [_fact(sentence, chunk_ids) for sentence in key_sentences(sentences)]


def _fact(sentence: ClaimingSentence, chunk_ids: Sequence[str]) -> KeyFact:
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
