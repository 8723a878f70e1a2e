"""The terms of a text, by which names in tables and headings are looked up in a statement (V2)."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from domain.facts.reading.token_alignment import prefix_key, same_lexeme, same_syllable, tokens_match
from domain.facts.reading.tokens import Token, tokenize

T = TypeVar("T")
_MOST_CHARS = 120
_SHORT = 2  # letters of a Korean noun of one syllable with its particle


@dataclass(frozen=True, slots=True)
class Term:
    """A content word or value, and the token that it belongs to."""

    key: str
    token: Token


def terms(tokens: Sequence[Token]) -> list[Term]:
    return [
        Term(key, each)
        for each in tokens
        if each.is_content
        for key in ((each.key,) if each.value else each.key.split())
    ]


@lru_cache(maxsize=8192)
def terms_of(text: str) -> tuple[Term, ...]:
    """Return the terms of the first 120 characters of a name or cell."""
    return tuple(terms(tokenize(text[:_MOST_CHARS])))


def terms_match(one: Term, other: Term) -> bool:
    if one.key == other.key or (one.key[:2] == "fy" and one.key[2:] == other.key):
        return True
    if one.token.value or other.token.value:
        return tokens_match(one.token, other.token) or tokens_match(other.token, one.token)
    return same_lexeme(one.key, other.key) or same_syllable(one.token, other.token)


class TermIndex:
    """The terms of a text, indexed for looking up many names. Immutable."""

    def __init__(self, content: Sequence[Term]) -> None:
        self._keys = frozenset(each.key for each in content)
        self._valued = [each for each in content if each.token.value]
        self._tokens = frozenset(each.token.key for each in content if not each.token.value)
        self._by_head: dict[str, list[Term]] = defaultdict(list)
        for each in content:
            if not each.token.value:
                for begins in {prefix_key(each.key), each.key[:1] if len(each.key) <= _SHORT else prefix_key(each.key)}:
                    self._by_head[begins].append(each)

    def has_all(self, wanted: Sequence[Term]) -> bool:
        return bool(wanted) and all(map(self._has_one, wanted))

    def _has_one(self, wanted: Term) -> bool:
        if wanted.key in self._keys or f"fy{wanted.key}" in self._keys:
            return True
        if any(terms_match(each, wanted) for each in self._valued):
            return True
        if wanted.token.value:
            return wanted.token.key in self._tokens
        alike = (*self._by_head.get(prefix_key(wanted.key), ()), *self._by_head.get(wanted.key[:1], ()))
        return any(terms_match(each, wanted) for each in alike)


def is_among(term: Term, names: Sequence[Term]) -> bool:
    return any(terms_match(term, each) for each in names)


def has_all(available: Sequence[Term], wanted: Sequence[Term]) -> bool:
    return bool(wanted) and all(any(terms_match(each, other) for other in available) for each in wanted)


def without(available: Sequence[Term], names: Sequence[Term]) -> list[Term]:
    return [each for each in available if not is_among(each, names)]


def most_specific(found: Sequence[T], name: Callable[[T], str]) -> list[T]:
    # "Total revenue", not "Revenue", whose name is a part of it.
    keys = [frozenset(each.key for each in terms_of(name(one))) for one in found]
    distinct = set(keys)
    return [one for one, mine in zip(found, keys, strict=True) if not any(mine < other for other in distinct)]


def best(found: Sequence[T], score: Callable[[T], int]) -> list[T]:
    scores = [score(each) for each in found]
    return [each for each, value in zip(found, scores, strict=True) if value == max(scores)]
