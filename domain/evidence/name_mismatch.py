"""Finds names in a claim where its source has others (S4.4).

A name counts as wrong only if three things hold: nothing like it is in the whole source, the source's sentence that
otherwise says the same has another name of the same kind, and that name is between the same words. Aliases, demonyms,
acronyms, parts of names and transliterations thus pass.
"""

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from domain.entities.names import SAME_NAMES, Name, names_in, tokens_of
from domain.text.cache import text_cache
from domain.text.sentence_alignment import AlignedSentence
from domain.text.words import content_stems, coverage, stem, words

_SAME_MATTER = 0.6  # coverage of the claim's other words by the sentence from which its names are rivals
_PREFIX = 4  # letters that an inflected, translated or shortened form keeps
_SPELT_ALIKE = 75  # of 100: "Faroe" and "Faeroes"
_AROUND = 2  # neighbouring words that are compared


def other_names(claim: str, source: str, aligned: AlignedSentence) -> list[tuple[str, str]]:
    """Return (the claim's name, the source's name) for each name of the claim that differs in the source.

    `aligned` is the sentence of `source` that is most like the claim.
    """
    mine, theirs = tokens_of(claim), tokens_of(aligned.text)
    stated = list(names_in(claim, mine))
    if not stated or not theirs:
        return []
    candidates = list(names_in(aligned.text, theirs))
    known = _read(source)
    absent = [name for name in stated if not known.has(name)]
    if not absent or not _is_same_matter(mine, absent, aligned):
        return []
    taken = frozenset(words(claim))
    free = [
        each for each in candidates if not taken.issuperset(each.core) and (each.sure or known.always_names(each.text))
    ]
    surest = [each for each in free if each.sure or known.names(each.text)]
    return [
        (name.text, rival.text)
        for name in absent
        if (rival := _counterpart(name, mine, free if name.sure else surest, theirs))
    ]


def _may_replace(name: Name, candidate: Name) -> bool:
    if name.kind != candidate.kind or (name.kind == "latin" and name.text.isupper() != candidate.text.isupper()):
        return False
    pairs = ((one, other) for one in name.core for other in candidate.core if one != other)
    return not any(fuzz.ratio(one, other) >= _SPELT_ALIKE for one, other in pairs)


class _SourceNames:
    """The words of a source, for looking up names in any form."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._text = source.casefold()
        self._words = frozenset(words(source))
        self._initials = _initials(source)

    def has(self, name: Name) -> bool:
        # In doubt it has.
        if name.kind != "latin":
            return any(part[:2] in self._text if len(part) > 3 else part in self._text for part in name.core)
        missing = [part for part in name.core if not self._has_word(part)]
        if not missing:
            return True
        # One of several words may be a middle name, a title or a short form; the last one is a surname.
        return len(missing) < len(name.core) and name.core[-1] not in missing

    def names(self, word: str) -> bool:
        return re.search(rf"(?<=[a-z0-9,] ){re.escape(word)}\b", self._source) is not None

    def always_names(self, word: str) -> bool:
        return re.search(rf"\b{re.escape(word.lower())}\b", self._source) is None or self.names(word)

    def _has_word(self, part: str) -> bool:
        if part in self._words or part in self._initials or part[:_PREFIX] in self._text:
            return True
        return any(part.replace(".", "") in same and same & self._words for same in SAME_NAMES)


@text_cache()
def _read(source: str) -> _SourceNames:
    return _SourceNames(source)


def _initials(source: str) -> frozenset[str]:
    """Return the acronyms of the source's runs of capitalised words, and the letters that its acronyms stand for."""
    runs = re.findall(r"(?<!\w)(?:[A-Z][\w'’]*+[ -](?:of |and |for |the |& )?+){1,7}+(?:[A-Z][\w'’]*+)?+", source)
    return frozenset("".join(re.findall(r"\b[A-Z]", run)).casefold() for run in runs)


def _is_same_matter(tokens: Sequence[re.Match[str]], absent: Sequence[Name], aligned: AlignedSentence) -> bool:
    named = {place for name in absent for place in range(name.first, name.last + 1)}
    rest = content_stems(" ".join(token[0] for place, token in enumerate(tokens) if place not in named))
    return coverage(rest, set(aligned.stems)) >= _SAME_MATTER


def _counterpart(
    name: Name, mine: Sequence[re.Match[str]], candidates: Sequence[Name], theirs: Sequence[re.Match[str]]
) -> Name | None:
    """Return the name between the same words as `name`; None if there is none, or several."""
    around, both_sides = _neighbours(mine, name), name.kind == "loanword" or not name.sure
    alike = [
        each
        for each in candidates
        if _may_replace(name, each) and _is_alike(around, _neighbours(theirs, each), both_sides=both_sides)
    ]
    return alike[0] if len(alike) == 1 else None


def _neighbours(tokens: Sequence[re.Match[str]], name: Name) -> tuple[list[str], list[str]]:
    before = tokens[max(0, name.first - _AROUND) : name.first]
    after = tokens[name.last + 1 : name.last + 1 + _AROUND]
    return [stem(token[0].casefold()) for token in reversed(before)], [stem(token[0].casefold()) for token in after]


def _is_alike(one: tuple[list[str], list[str]], other: tuple[list[str], list[str]], *, both_sides: bool) -> bool:
    # The next word on either side is the same (the text's end counts as one), or two words on one side are.
    same = [mine[:1] == theirs[:1] for mine, theirs in zip(one, other, strict=True)]
    both = [len(mine) == _AROUND and mine == theirs for mine, theirs in zip(one, other, strict=True)]
    return all(same) or (any(both) and not both_sides)
