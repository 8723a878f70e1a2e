"""The sentence of a source that is most like a claim."""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.sentences import split_sentences
from domain.words import content_stems, coverage

_MOST_STEMS = 200  # of a claim: it is a sentence, and what is longer is hostile


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

    `told` are those of the stems that are in no date.
    """
    known = set(wanted)

    def likeness(each: tuple[int, int, str, list[str]]) -> tuple[float, float]:
        stems = each[3]
        return coverage(wanted, set(stems)), coverage(stems, known)

    read = ((each.start, each.end, each.text, content_stems(each.text)) for each in split_sentences(source))
    start, end, text, stems = max(read, key=likeness, default=(0, 0, "", list[str]()))
    said = coverage([each for each in told if not each[0].isdigit()], set(stems))
    return Aligned(start, end, text, tuple(stems), said)
