"""Finds the sentence of a source that is most like a claim, by an index that compares it only with those that share
a word.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest

from citewell_verify.text.cache import text_cache
from citewell_verify.text.sentences import Sentence, split_sentences
from citewell_verify.text.words import content_stems, coverage, prefix_key, prefix_keys, stem_similarity

_MOST_PER_PREFIX = 300  # words with the same beginning that are compared with another: prose has a few dozen
_MOST_CHARS = 600_000  # of cached texts: their analysis takes far more memory than they do
_NO_LETTERS = re.compile(r"[\W_]+")


class WordIndex:
    """The stems of numbered texts: which texts have a stem, or a related one. Immutable."""

    def __init__(self, stems: Iterable[Iterable[str]]) -> None:
        self._places: dict[str, list[int]] = defaultdict(list)
        for number, stems_of_text in enumerate(stems):
            for stem in dict.fromkeys(stems_of_text):
                self._places[stem].append(number)
        self._by_head: dict[str, list[str]] = defaultdict(list)
        for stem in self._places:
            same_prefix = self._by_head[prefix_key(stem)]
            if len(same_prefix) < _MOST_PER_PREFIX:
                same_prefix.append(stem)

    def coverages(self, wanted: Sequence[str]) -> dict[int, float]:
        """Return, for each text that has any of the stems `wanted`, the share of them that it has, as in `coverage`.

        Takes time in proportion to the texts with one of them.
        """
        beginnings = prefix_keys(tuple(wanted))
        indexed = [stem for stem, beginning in zip(wanted, beginnings, strict=True) if beginning in self._by_head]
        having = {stem: self._having(stem) for stem in dict.fromkeys(indexed)}
        shared: dict[int, float] = defaultdict(float)
        for stem in indexed:
            for number, share in having[stem].items():
                shared[number] += share
        return {number: share / len(wanted) for number, share in shared.items()}

    def _having(self, wanted: str) -> Mapping[int, float]:
        shares = dict.fromkeys(self._places.get(wanted, ()), 1.0)
        for candidate in self._by_head.get(prefix_key(wanted), ()):
            if candidate != wanted and (share := stem_similarity(wanted, candidate)):
                for number in self._places[candidate]:
                    if share > shares.get(number, 0.0):
                        shares[number] = share
        return shares


@dataclass(frozen=True)
class ParsedSentences:
    """A text split into sentences that can be looked up by their words. Analysed once and cached."""

    text: str

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        return tuple(split_sentences(self.text))

    @cached_property
    def stems(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(content_stems(sentence.text)) for sentence in self.sentences)

    @cached_property
    def index(self) -> WordIndex:
        return WordIndex(self.stems)

    @cached_property
    def letters(self) -> str:
        return letters(self.text)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        return tuple(sentence.start for sentence in self.sentences)


def letters(text: str) -> str:
    """Return the letters and digits of `text` in normal form, for testing quickly whether it may contain a
    quotation."""
    return _NO_LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())


@text_cache(_MOST_CHARS)
def parse_sentences(text: str) -> ParsedSentences:
    return ParsedSentences(text)


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
