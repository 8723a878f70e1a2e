"""Finds the sentence of a source that is most like a claim."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest

from citewell_verify.text.word_index import ParsedSentences, parse_sentences
from citewell_verify.text.words import content_stems, coverage

_MOST_STEMS = 200  # of a claim: it is a sentence, and anything longer is hostile
_MOST_EQUAL = 100  # sentences with equally many of a claim's stems: beyond this they are all the same to it


@dataclass(frozen=True, slots=True)
class AlignedSentence:
    """`text` is `source[start:end]`; `stems` are its content stems.

    `coverage` is the share, 0..1, of the claim's content words (without numbers and dates) that the sentence has.
    """

    start: int
    end: int
    text: str
    stems: tuple[str, ...]
    coverage: float

    def has(self, place: int) -> bool:
        return self.start <= place < self.end


def claim_stems(claim: str) -> list[str]:
    return content_stems(claim)[:_MOST_STEMS]


def most_similar(wanted: Sequence[str], source: str, undated: Sequence[str]) -> AlignedSentence:
    """Return the sentence of `source` with most of the stems `wanted`; among equals, the one with fewest others.

    `undated` are those of the stems that belong to no date. Of both lists only as many count as a sentence may have.
    """
    wanted, undated = wanted[:_MOST_STEMS], undated[:_MOST_STEMS]
    read = parse_sentences(source)
    best = _best(read, wanted) if read.sentences else None
    if best is None:
        return AlignedSentence(0, 0, "", (), 0.0)
    place, stems = read.sentences[best], read.stems[best]
    said = coverage([stem for stem in undated if not stem[0].isdigit()], set(stems))
    return AlignedSentence(place.start, place.end, place.text, stems, said)


def _best(read: ParsedSentences, wanted: Sequence[str]) -> int:
    shares = read.index.coverages(wanted)
    most = max(shares.values(), default=0.0)
    alike = [number for number, share in shares.items() if share == most]
    known = set(wanted)
    shortest = nsmallest(_MOST_EQUAL, alike, key=lambda number: (len(read.stems[number]), number))
    return max(sorted(shortest), key=lambda number: coverage(read.stems[number], known), default=0)
