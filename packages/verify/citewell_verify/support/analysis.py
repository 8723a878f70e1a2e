"""Analyses a sentence for comparison: its words in order, their stems, and which of them are names."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from rapidfuzz.distance import Prefix

from citewell_verify.text.negation import negations
from citewell_verify.text.words import content_stems, meaningful, words

_NAME = re.compile(r"(?<![\w.])[A-Z][\w'’-]*")
_FIRST = re.compile(r"[\W_]*\w+")
_LEAST_SIMILARITY = 0.6  # share of two stems' letters, from the first one on, from which the words are related
_FEWEST_LETTERS = 3
_MOST_PER_PREFIX = 300  # stems with the same beginning that are compared with another: prose has a few dozen


@dataclass(frozen=True)
class AnalysedText:
    """Computes what derives from `text` once, on first use; two threads get equal values."""

    text: str

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(content_stems(self.text))

    @cached_property
    def neighbours(self) -> frozenset[tuple[str, str]]:
        """Each two words that follow each other, as written but for their case."""
        return frozenset(pairwise(words(self.text)))

    @cached_property
    def names(self) -> frozenset[str]:
        """Stems of the capitalised words, except one that is only the sentence's first."""
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
    """Stems indexed by their first letters, to find the one most similar to another. Immutable.

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
    """The sentences of a source, looked up by stems related to those of a statement. Immutable."""

    def __init__(self, sentences: Iterable[AnalysedText]) -> None:
        self.sentences = tuple(sentences)

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = defaultdict(list)
        for number, sentence in enumerate(self.sentences):
            for stem in dict.fromkeys(sentence.stems):
                places[stem].append(number)
        return places

    @cached_property
    def _by_head(self) -> dict[str, list[str]]:
        by_head: dict[str, list[str]] = defaultdict(list)
        for stem in self._places:
            akin = by_head[_prefix_key(stem)]
            if len(akin) < _MOST_PER_PREFIX:
                akin.append(stem)
        return by_head

    def similarities(self, wanted: str) -> Mapping[int, float]:
        """Return how much of a stem each sentence has, by number, without those that have nothing of it.

        Takes time in proportion to the sentences with the stem or a related one.
        """
        shares = dict.fromkeys(self._places.get(wanted, ()), 1.0)
        for stem in self._by_head.get(_prefix_key(wanted), ()):
            if stem != wanted and (share := _stem_similarity(wanted, stem)):
                for number in self._places[stem]:
                    if share > shares.get(number, 0.0):
                        shares[number] = share
        return shares


def _stem_similarity(left: str, right: str) -> float:
    """Return the share of letters, from the first one on, that two stems have in common; 0 for unrelated ones.

    In Korean, where endings are long, it is the share of the shorter one.
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
