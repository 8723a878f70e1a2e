"""Finds the places of a source that state a statement best, and the words of the statement that are missing there."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from heapq import nsmallest
from itertools import pairwise

from rapidfuzz.distance import Prefix

from citewell_verify.text.quotes import WordIndex
from citewell_verify.text.words import content_stems, meaningful, negations, words

_NAME = re.compile(r"(?<![\w.])[A-Z][\w'’-]*")
_FIRST = re.compile(r"[\W_]*\w+")
_LEAST_SIMILARITY = 0.6  # the least share of common letters at the beginning of two stems of related words
_FEWEST_LETTERS = 3


@dataclass(frozen=True)
class AnalysedText:
    """A text with its analyses, each of which is computed once, on first use; two threads get equal values."""

    text: str

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(content_stems(self.text))

    @cached_property
    def neighbours(self) -> frozenset[tuple[str, str]]:
        """All pairs of neighbouring words, as written except for their case."""
        return frozenset(pairwise(words(self.text)))

    @cached_property
    def names(self) -> frozenset[str]:
        """The stems of the capitalised words, except a word that is capitalised only as the first of its sentence."""
        first = _FIRST.match(self.text)
        capitals = _NAME.findall(self.text, first.end() if first else 0)
        return frozenset(stem for capital in capitals for stem in content_stems(capital))

    @cached_property
    def denied(self) -> frozenset[str]:
        return frozenset(stem for denial in negations(self.text) for stem in denial.denied)

    @cached_property
    def related_stems(self) -> "RelatedStems":
        return RelatedStems(self.stems)

    def surfaces(self, stems: frozenset[str]) -> list[str]:
        return [word for word in dict.fromkeys(words(self.text)) if not stems.isdisjoint(meaningful([word]))]


class RelatedStems:
    """An immutable index of stems by their first letters, to find the stem that is most similar to another.

    Korean words are compared letter by letter (jamo): an ending changes within a syllable, as in `멋진`, `멋졌습니다`.
    """

    def __init__(self, stems: Iterable[str]) -> None:
        self.stems = frozenset(stems)
        self._by_head: dict[str, list[str]] = defaultdict(list)
        for stem in self.stems:
            self._by_head[_prefix_key(stem)].append(stem)

    def similarity(self, wanted: str) -> float:
        """Return 1 for a stem that is present, the shared part of the letters for a related one (from 0.6), else 0.

        Two stems with the same beginning are related: `manufactur` and `manufacturer`, `줄었` and `줄어들었`.
        """
        if wanted in self.stems:
            return 1.0
        return max((_stem_similarity(wanted, stem) for stem in self._by_head.get(_prefix_key(wanted), ())), default=0.0)


class AnalysedSentences:
    """An immutable index of a source's sentences, by stems that are related to those of a statement."""

    def __init__(self, sentences: Iterable[AnalysedText]) -> None:
        self.sentences = tuple(sentences)

    @cached_property
    def index(self) -> WordIndex:
        return WordIndex((sentence.stems for sentence in self.sentences), _prefix_key, _stem_similarity)


def _stem_similarity(left: str, right: str) -> float:
    """Return the share of letters at their beginning that two stems have in common; 0 for unrelated stems.

    In Korean, where endings are long, it is the share in the shorter stem.
    """
    korean = _is_korean(left)
    if korean:
        left, right = _letters(left), _letters(right)
    same = Prefix.similarity(left, right)
    if same < _FEWEST_LETTERS:
        return 0.0
    share = same / (min(len(left), len(right)) if korean else (len(left) + len(right)) / 2)
    return share if share >= _LEAST_SIMILARITY else 0.0


def _prefix_key(word: str) -> str:
    return _letters(word)[:2] if _is_korean(word) else word[:4]


def _is_korean(word: str) -> bool:
    return word[0] >= "가"


@lru_cache(maxsize=20_000)
def _letters(word: str) -> str:
    return unicodedata.normalize("NFD", word)


_WINDOW = 3  # neighbouring sentences that may state something together
_MOST_WINDOWS = 40  # the best window is searched around this many sentences that share most with the statement
_RANKED = 10
_PRESENT = 0.6
_EMPTY = AnalysedText("")


@dataclass(frozen=True)
class Comparison:
    """A statement beside the sentences of one source.

    `wanted` are the statement's meaningful stems, each once; `likenesses[m][n]` (0..1) is the degree to which sentence
    n has wanted stem m, if it has it at all; `weights` are the stems' weights. `first` is the first sentence of the
    best window of three, and `ranking` are the numbers of the ten sentences that share most with the statement, best
    first.
    """

    statement: AnalysedText
    sentences: Sequence[AnalysedText]
    wanted: tuple[str, ...]
    weights: tuple[float, ...]
    similarities: tuple[Mapping[int, float], ...]
    first: int
    ranking: tuple[int, ...]

    @property
    def window(self) -> Sequence[AnalysedText]:
        return self.sentences[self.first : self.first + _WINDOW]

    @property
    def best(self) -> AnalysedText:
        return self.sentences[self.ranking[0]] if self.ranking else _EMPTY

    def shares(self, number: int) -> bool:
        """Return whether a sentence has any of the wanted stems."""
        return any(number in similarity for similarity in self.similarities)

    @cached_property
    def in_window(self) -> tuple[float, ...]:
        return _in_window(self.similarities, self.first)

    @cached_property
    def anywhere(self) -> tuple[float, ...]:
        """The highest likeness, 0..1, of each wanted stem in any sentence of the source."""
        return tuple(max(shares.values(), default=0.0) for shares in self.similarities)

    @property
    def overlap(self) -> float:
        return sum(self.in_window) / len(self.wanted) if self.wanted else 0.0

    @property
    def lacking(self) -> int:
        """The number of stems of the statement's names and figures that are nowhere in the source."""
        return sum(
            share < _PRESENT and (stem in self.statement.names or stem[0].isdigit())
            for stem, share in zip(self.wanted, self.anywhere, strict=True)
        )

    def absent_words(self) -> list[str]:
        """Return the statement's words that are nowhere in the source, not even in a related form."""
        absent = frozenset(stem for stem, share in zip(self.wanted, self.anywhere, strict=True) if share == 0)
        return self.statement.surfaces(absent)


def compare(statement: AnalysedText, source: AnalysedSentences) -> Comparison:
    """Compare `statement` with the sentences of a source. Linear in the sentences that share a word with it."""
    wanted = tuple(dict.fromkeys(statement.stems))
    # Longer words say more, and names and figures say most.
    weights = tuple(
        1 + 0.5 * min(1, len(stem) / 8) + (1.0 if stem[0].isdigit() else 0.7 if stem in statement.names else 0)
        for stem in wanted
    )
    likenesses = tuple(map(source.index.having, wanted))
    totals: dict[int, float] = defaultdict(float)
    for weight, shares in zip(weights, likenesses, strict=True):
        for number, share in shares.items():
            totals[number] += weight * share
    best = nsmallest(_MOST_WINDOWS, totals, key=lambda number: (-totals[number], number))
    others = (number for number in range(min(_RANKED, len(source.sentences))) if number not in totals)
    return Comparison(
        statement=statement,
        sentences=source.sentences,
        wanted=wanted,
        weights=weights,
        similarities=likenesses,
        first=_best_window(weights, likenesses, best, len(source.sentences)),
        ranking=(*best, *others)[:_RANKED],
    )


def _best_window(
    weights: Sequence[float], likenesses: Sequence[Mapping[int, float]], best: Sequence[int], count: int
) -> int:
    def likeness(start: int) -> float:
        return sum(weight * share for weight, share in zip(weights, _in_window(likenesses, start), strict=True))

    last = max(0, count - _WINDOW)
    starts = {min(max(0, number - before), last) for number in best for before in range(_WINDOW)}
    return max(sorted(starts), key=likeness, default=0)


def _in_window(likenesses: Sequence[Mapping[int, float]], first: int) -> tuple[float, ...]:
    return tuple(
        max(shares.get(first, 0.0), shares.get(first + 1, 0.0), shares.get(first + 2, 0.0)) for shares in likenesses
    )
