"""The terms of a text, by which names in tables and headings are looked up in a statement (V2)."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from citewell_verify.entities.dates import Date, find_dates
from citewell_verify.facts.reading.token_alignment import prefix_key, same_lexeme, same_syllable, tokens_match
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.facts.reading.vocabulary import GENERIC, keys_of

_WHICH = "당|전전|전"
_TERM = re.compile(
    rf"제\s{{0,2}}(?P<number>\d{{1,3}})\s{{0,2}}(?:\((?P<inner>{_WHICH})\)\s{{0,2}})?기\s?(?P<point>[말초](?![가-힣]))?"
    rf"(?:\s?\((?P<outer>{_WHICH})기?\))?"
    rf"|(?<![가-힣])(?P<which>{_WHICH})\s?기\s?(?P<at>[말초])?(?![가-힣])"
)
_DEFINED = re.compile(
    rf"제\s{{0,2}}(\d{{1,3}})\s{{0,2}}(?:\((?:{_WHICH})\)\s{{0,2}})?기(?!\s?(?:[가-힣]*재무|\d?\s?[반분]기))"
)
_BEHIND = 80


@dataclass(frozen=True, slots=True)
class FiscalTerm:
    """A fiscal term of a company: its `number`, or its relation to the report's term, `which`: 당, 전 or 전전; `point`:
    its end or beginning.
    """

    number: int | None
    which: str
    point: str

    def may_be(self, term: "FiscalTerm") -> bool:
        """True if both name the same term; whether 당기 alone is 제31기 is unknown."""
        if (self.point == "초") is not (term.point == "초"):
            return False
        if self.number is not None and term.number is not None:
            return self.number == term.number
        return bool(self.which) and self.which == term.which


@lru_cache(maxsize=8192)
def terms_in(text: str) -> tuple[FiscalTerm, ...]:
    return tuple(
        FiscalTerm(
            int(match["number"]) if match["number"] else None,
            match["inner"] or match["outer"] or match["which"] or "",
            match["point"] or match["at"] or "",
        )
        for match in _TERM.finditer(text)
    )


def without_terms(text: str) -> str:
    return " ".join(_TERM.sub(" ", text).split())


def days_of_terms(text: str) -> dict[int, tuple[Date, ...]]:
    """Return the days that lines of a text give for numbered terms: "제 31 기 : 2025년 12월 31일 현재".

    A term's day is its last one, unless the term lasts from one calendar year into the next: the meaning of "2025년" is
    then open.
    """
    known: dict[int, tuple[Date, ...]] = {}
    for line in text.split("\n"):
        numbered = [*_DEFINED.finditer(line)] if "기" in line and len(line) < 2 * _BEHIND and "\t" not in line else []
        if len(numbered) == 1:
            days = find_dates(line[numbered[0].end() :][:_BEHIND])
            if len({day.years for day in days}) == 1:
                known.setdefault(int(numbered[0][1]), tuple(days[-1:]))
    return known


def days_of(head: str, known: Mapping[int, tuple[Date, ...]]) -> tuple[Date, ...]:
    return tuple(day for term in terms_in(head) if term.number is not None for day in known.get(term.number, ()))


T = TypeVar("T")
_MOST_CHARS = 120
_SHORT = 2  # letters of a one-syllable Korean noun with its particle
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
"""Nouns for classes of things: "the river" may refer to the Nile, but "the battery" not to a thing that has one."""
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


def terms_match(term: Term, name: Term) -> bool:
    if term.key == name.key or (term.key[:2] == "fy" and term.key[2:] == name.key):
        return True
    if term.token.value or name.token.value:
        return tokens_match(term.token, name.token) or tokens_match(name.token, term.token)
    return same_lexeme(term.key, name.key) or same_syllable(term.token, name.token)


class TermIndex:
    """An immutable index of a text's terms, for looking up many names."""

    def __init__(self, content: Sequence[Term]) -> None:
        self._keys = frozenset(term.key for term in content)
        self._valued = [term for term in content if term.token.value]
        self._tokens = frozenset(term.token.key for term in content if not term.token.value)
        self._by_head: dict[str, list[Term]] = defaultdict(list)
        for term in content:
            if not term.token.value:
                for begins in {prefix_key(term.key), term.key[:1] if len(term.key) <= _SHORT else prefix_key(term.key)}:
                    self._by_head[begins].append(term)

    def has_all(self, wanted: Sequence[Term]) -> bool:
        return bool(wanted) and all(map(self._has_one, wanted))

    def _has_one(self, wanted: Term) -> bool:
        if wanted.key in self._keys or f"fy{wanted.key}" in self._keys:
            return True
        if any(terms_match(term, wanted) for term in self._valued):
            return True
        if wanted.token.value:
            return wanted.token.key in self._tokens
        alike = (*self._by_head.get(prefix_key(wanted.key), ()), *self._by_head.get(wanted.key[:1], ()))
        return any(terms_match(term, wanted) for term in alike)


def is_among(term: Term, names: Sequence[Term]) -> bool:
    return any(terms_match(term, name) for name in names)


def has_all(available: Sequence[Term], wanted: Sequence[Term]) -> bool:
    return bool(wanted) and all(any(terms_match(term, stated) for stated in available) for term in wanted)


def without(available: Sequence[Term], names: Sequence[Term]) -> list[Term]:
    return [term for term in available if not is_among(term, names)]


def most_specific(candidates: Sequence[T], name: Callable[[T], str]) -> list[T]:
    """Return the candidates whose name is not a part of another's name: "Total revenue" rather than "Revenue"."""
    keys = [frozenset(term.key for term in terms_of(name(candidate))) for candidate in candidates]
    distinct = set(keys)
    return [
        candidate for candidate, own in zip(candidates, keys, strict=True) if not any(own < wider for wider in distinct)
    ]


def best(candidates: Sequence[T], score: Callable[[T], int]) -> list[T]:
    scores = [score(candidate) for candidate in candidates]
    return [candidate for candidate, value in zip(candidates, scores, strict=True) if value == max(scores)]
