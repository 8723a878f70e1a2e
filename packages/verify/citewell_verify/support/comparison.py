"""Finds where a source says a statement best, and what of the statement is missing there."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest

from citewell_verify.support.analysis import AnalysedSentences, AnalysedText

_WINDOW = 3  # neighbouring sentences that may state something together
_MOST_WINDOWS = 40  # sentences around which the best window is searched: those that share most with the statement
_RANKED = 10
_PRESENT = 0.6
_EMPTY = AnalysedText("")


@dataclass(frozen=True)
class Comparison:
    """A statement beside the sentences of one source.

    `wanted` are the statement's meaningful stems, each once; `likenesses[m][n]` (0..1) is how much sentence n has of
    wanted stem m, where it has any; `weights` are the stems' weights. `first` is where the best window of three
    sentences begins, and `ranking` are the numbers of the ten sentences that share most with the statement, best first.
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
        """Say whether a sentence has any of the wanted stems."""
        return any(number in similarity for similarity in self.similarities)

    @cached_property
    def in_window(self) -> tuple[float, ...]:
        return _in_window(self.similarities, self.first)

    @cached_property
    def anywhere(self) -> tuple[float, ...]:
        """For each wanted stem, how much of it the source has in any place, 0..1."""
        return tuple(max(shares.values(), default=0.0) for shares in self.similarities)

    @property
    def overlap(self) -> float:
        return sum(self.in_window) / len(self.wanted) if self.wanted else 0.0

    @property
    def lacking(self) -> int:
        """How many stems of the statement's names and figures are nowhere in the source."""
        return sum(
            share < _PRESENT and (stem in self.statement.names or stem[0].isdigit())
            for stem, share in zip(self.wanted, self.anywhere, strict=True)
        )

    def absent_words(self) -> list[str]:
        """Return the statement's words that are nowhere in the source, not even in a related form."""
        absent = frozenset(stem for stem, share in zip(self.wanted, self.anywhere, strict=True) if share == 0)
        return self.statement.surfaces(absent)


def compare(statement: AnalysedText, source: AnalysedSentences) -> Comparison:
    """Compare `statement` with the sentences of a source. Linear in the number of sentences that share a word with
    it."""
    wanted = tuple(dict.fromkeys(statement.stems))
    # Longer words tell more, and names and figures most.
    weights = tuple(
        1 + 0.5 * min(1, len(stem) / 8) + (1.0 if stem[0].isdigit() else 0.7 if stem in statement.names else 0)
        for stem in wanted
    )
    likenesses = tuple(map(source.similarities, wanted))
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
