"""Indexes sentences by their words, so that a statement is compared only with those that share one."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from citewell_verify.text.cache import text_cache
from citewell_verify.text.sentences import Sentence, split_sentences
from citewell_verify.text.words import content_stems, prefix_key, prefix_keys, stem_similarity

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
