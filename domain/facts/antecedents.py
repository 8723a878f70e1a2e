"""Whether a sentence below a heading is about what the heading names, or about a part of it or another thing (V2).

Below "X100", "It weighs 7 kg" and "The device weighs 7 kg" are about the X100; "The battery weighs 2 kg" and "Profit
was 5 million" are not. "The <noun>" stands for the heading where the noun is a class that it may belong to.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from domain.facts.sections import is_of
from domain.facts.terms import Term
from domain.facts.tokens import Token
from domain.facts.vocabulary import GENERIC, keys_of

CLASSES = GENERIC | keys_of("""
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
""")
_PREPOSITIONS = frozenset(
    "after at before between by during for from in into near on over since through to under with".split()
)
_DEFINITE = frozenset("the this that these those such 이 그 해당 본 동".split())
_OWNED = frozenset("its their his her 그의".split())
_AUXILIARY = frozenset("is are was were be been has have had do does did will would can could may might must".split())
_NOUNS = ("name", "word")


@dataclass(frozen=True, slots=True)
class Rival:
    """What a sentence is about instead of what the heading names; `may_refer` if it may still stand for that."""

    token: Token
    may_refer: bool


def rival(
    statement: Sequence[Token],
    sentence: Sequence[Token],
    met: Collection[int],
    names: Sequence[Term],
    classes: Collection[str] = (),
) -> Rival | None:
    """Return what `sentence` is about, or what owns it, where the statement has the heading's `names`; else None.

    `met` are the indexes of the sentence's tokens that the statement has; `classes` the keys of what the section says
    that the heading's thing is, besides `CLASSES`.
    """
    if not met:
        return None
    others = [
        at
        for at, token in enumerate(sentence[: max(met)])
        if at not in met and token.kind in _NOUNS and not is_of(token, names) and not _may_be(sentence, at, classes)
    ]
    if any(is_of(token, names) and _owns(statement, at) for at, token in enumerate(statement)):
        found = [at for at in others if _owns(sentence, at)]
    elif _is_about(statement, names):
        found = [at for at in others if at < min(met) and _is_subject(sentence, at)]
    else:
        return None
    return Rival(sentence[found[-1]], _may_refer(sentence, found[-1])) if found else None


def _may_be(sentence: Sequence[Token], at: int, classes: Collection[str]) -> bool:
    """Say whether a noun stands for a thing of its class; an adverb is no noun."""
    token = sentence[at]
    is_class = token.key in CLASSES or (token.key in classes and _key(sentence, at - 1) in _DEFINITE)
    return is_class or token.text.endswith("ly")


def _is_about(statement: Sequence[Token], names: Sequence[Term]) -> bool:
    """Say whether the heading's name is what the statement is about, and no noun follows it: "the X100 battery is"."""
    first = next((at for at, token in enumerate(statement) if token.matters), None)
    if first is None or not is_of(statement[first], names):
        return False
    behind = next((at for at in range(first, len(statement)) if not is_of(statement[at], names)), len(statement))
    if _is_korean(statement[behind - 1]):
        return statement[behind - 1].case in ("subject", "topic")
    followed = behind + 1 < len(statement) and statement[behind].matters and statement[behind + 1].key in _AUXILIARY
    return not followed


def _owns(tokens: Sequence[Token], at: int) -> bool:
    if _is_korean(tokens[at]):
        return tokens[at].case == "owner"
    before = _key(tokens, at - 1)
    return tokens[at].text.endswith(("'s", "’s", "s'")) or "of" in (
        before,
        _key(tokens, at - 2) if before in _DEFINITE else "",
    )


def _is_subject(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a noun in front of all that both sentences have may be what the sentence is about."""
    if _is_korean(tokens[at]):
        return tokens[at].case in ("subject", "topic")
    before = _key(tokens, at - 1)
    return not ({before, _key(tokens, at - 2) if before in _DEFINITE | _OWNED else ""} & _PREPOSITIONS)


def _may_refer(tokens: Sequence[Token], at: int) -> bool:
    return tokens[at].kind == "word" and _key(tokens, at - 1) in _DEFINITE


def _key(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].key if 0 <= at < len(tokens) else ""


def _is_korean(token: Token) -> bool:
    return bool(token.case) or "가" <= token.text[-1:] <= "힣"
