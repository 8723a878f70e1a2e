"""The sentence of a source that is most like a claim."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest

from domain.word_index import ReadSentences, read_sentences
from domain.words import content_stems, coverage

_MOST_STEMS = 200  # of a claim: it is a sentence, and what is longer is hostile
_MOST_ALIKE = 100  # sentences that have as much of a claim: where there are more, they are all the same to it


@dataclass(frozen=True, slots=True)
class Aligned:
    """`text` is `source[start:end]`; `stems` are its content stems.

    `said` is the share of the claim's content words, numbers and dates left out, that the sentence has, 0..1.
    """

    start: int
    end: int
    text: str
    stems: tuple[str, ...]
    said: float

    def has(self, place: int) -> bool:
        """Say whether this place of the source lies in the sentence."""
        return self.start <= place < self.end


def claim_stems(claim: str) -> list[str]:
    """Return the content stems of a claim in order, as many as a sentence may have."""
    return content_stems(claim)[:_MOST_STEMS]


def most_alike(wanted: Sequence[str], source: str, told: Sequence[str]) -> Aligned:
    """Return the sentence of `source` that has most of the stems `wanted`, the one with least besides them first.

    `told` are those of the stems that are in no date. As many of either count as a sentence may have.
    """
    wanted, told = wanted[:_MOST_STEMS], told[:_MOST_STEMS]
    read = read_sentences(source)
    best = _best(read, wanted) if read.sentences else None
    if best is None:
        return Aligned(0, 0, "", (), 0.0)
    place, stems = read.sentences[best], read.stems[best]
    said = coverage([each for each in told if not each[0].isdigit()], set(stems))
    return Aligned(place.start, place.end, place.text, stems, said)


def _best(read: ReadSentences, wanted: Sequence[str]) -> int:
    shares = read.index.coverages(wanted)
    most = max(shares.values(), default=0.0)
    alike = [number for number, share in shares.items() if share == most]
    known = set(wanted)
    shortest = nsmallest(_MOST_ALIKE, alike, key=lambda number: (len(read.stems[number]), number))
    return max(sorted(shortest), key=lambda number: coverage(read.stems[number], known), default=0)
