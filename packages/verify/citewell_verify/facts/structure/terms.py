"""The terms of a text, by which names in tables and headings are looked up in a statement (V2)."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from citewell_verify.facts.reading.token_alignment import prefix_key, same_lexeme, same_syllable, tokens_match
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.facts.reading.vocabulary import GENERIC, keys_of
from citewell_verify.text.words import vocabulary

T = TypeVar("T")
_MOST_CHARS = 120
_SHORT = 2  # letters of a Korean noun of one syllable with its particle
_CLASSES = """
    agency aircraft airline airport album animal app application area artist association author award band bank base
    battle bird book border bridge brand building business camera campus car castle cathedral church club college
    committee community compound conference council county disease district drug element establishment event family
    ferry festival film fish fund gallery game garden genus government hall hospital hotel institute institution island
    lake language law library line locomotive machine magazine manufacturer market medicine ministry model monument
    mountain movie municipality museum newspaper novel office opera park party person phone plane plant platform player
    port prison program programme project province publisher railway range region release republic reserve restaurant
    river road robot route ruler school sculpture sea series service ship show singer site software song species stadium
    star state station store street studio substance synod tablet temple theatre tool tower town treaty tribe tunnel
    union unit university valley vehicle version village virus volcano war website work writer zone
    가수 강 게임 공항 공원 교회 국가 기관 기계 기기 노래 다리 대학 대학교 도서관 드라마 마을 모델 박물관 배 배우 병원 산
    선수 섬 소설 시설 식물 약물 역 영화 은행 음반 작가 작품 장치 정당 정부 지역 차량 책 축제 학교 호수
    도로 성 시장 회관 호텔 항구 영화관 건물 시설물 드론 로봇 세탁기 자동차
"""
CLASSES = GENERIC | keys_of(_CLASSES)
"""Nouns for classes of things: "the river" may refer to the Nile, "the battery" to no thing that has one."""
_ARTEFACTS = "device machine model product system unit 기계 기기 모델 장치 제품"
ARTEFACTS = keys_of(_ARTEFACTS)
"""Classes of artefacts."""


@dataclass(frozen=True, slots=True)
class Term:
    """A content word or value, and the token that it belongs to."""

    key: str
    token: Token


def terms(tokens: Sequence[Token]) -> list[Term]:
    return [
        Term(key, token)
        for token in tokens
        if token.is_content
        for key in ((token.key,) if token.value else token.key.split())
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
    return any(terms_match(term, name) for name in names)


def has_all(available: Sequence[Term], wanted: Sequence[Term]) -> bool:
    return bool(wanted) and all(any(terms_match(each, other) for other in available) for each in wanted)


def without(available: Sequence[Term], names: Sequence[Term]) -> list[Term]:
    return [each for each in available if not is_among(each, names)]


def most_specific(found: Sequence[T], name: Callable[[T], str]) -> list[T]:
    # "Total revenue", not "Revenue", whose name is a part of it.
    keys = [frozenset(term.key for term in terms_of(name(one))) for one in found]
    distinct = set(keys)
    return [one for one, mine in zip(found, keys, strict=True) if not any(mine < other for other in distinct)]


def best(found: Sequence[T], score: Callable[[T], int]) -> list[T]:
    scores = [score(each) for each in found]
    return [each for each, value in zip(found, scores, strict=True) if value == max(scores)]


def has_class(heading: str) -> bool:
    """Say whether a heading states the class of its thing, as "Hotel Adler" does; classes of any artefact do not
    count."""
    words = heading.casefold().split()
    return not (vocabulary(_CLASSES) - vocabulary(_ARTEFACTS)).isdisjoint(words)
