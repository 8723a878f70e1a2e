"""Whether a sentence below a heading is about what the heading names, or about a part of it or another thing (V2).

Below "X100", "It weighs 7 kg" and "The device weighs 7 kg" are about the X100; "The battery weighs 2 kg" and "Profit
was 5 million" are not. "The <noun>" stands for the heading where the noun is a class that it may belong to.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from domain.facts.sections import is_of
from domain.facts.terms import Term
from domain.facts.tokens import Token
from domain.facts.vocabulary import GENERIC, keys_of
from domain.words import vocabulary

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
"""
CLASSES = GENERIC | keys_of(_CLASSES)
ARTEFACTS = keys_of("device machine model product system unit 기계 기기 모델 장치 제품")
"""Classes of whatever is made."""
_PREPOSITIONS = frozenset(
    "after at before between by during for from in into near on over since through to under with".split()
)
_THIS = frozenset("this these 이 그 해당 본".split())
_DEFINITE = _THIS | frozenset("the that those such 동".split())
_OWNED = frozenset("its their his her 그의".split())
_PERSONAL = frozenset("it he she they we i you one ones".split())
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
    classes: Collection[str] | None = None,
) -> Rival | None:
    """Return what `sentence` is about, or what owns it, where the statement has the heading's `names`; else None.

    `met` are the indexes of the sentence's tokens that the statement has. `classes` are the keys of the nouns that may
    stand for what the heading names; None for all `CLASSES`.
    """
    if not met:
        return None
    allowed = CLASSES if classes is None else classes

    def is_other(at: int) -> bool:
        token = sentence[at]
        refers = _class(token) in allowed or _key(sentence, at - 1) in _THIS
        return at not in met and token.kind in _NOUNS and not is_of(token, names) and not refers

    if any(is_of(token, names) and _owns(statement, at) for at, token in enumerate(statement)):
        found = next((at for at in range(max(met)) if _owns(sentence, at) and is_other(at)), None)
    else:
        subject = subject_of(sentence) if _is_about(statement, names) else None
        found = subject if subject is not None and subject < min(met) and is_other(subject) else None
    return None if found is None else Rival(sentence[found], _may_refer(sentence, found))


def has_class(heading: str) -> bool:
    """Say whether a heading says of which class its thing is: "Hotel Adler"."""
    return not vocabulary(_CLASSES).isdisjoint(heading.casefold().split())


def classes_in(sentences: Iterable[Sequence[Token]]) -> frozenset[str]:
    """Return the classes that are the subjects of some sentences: "The village has …", "The hotel has …"."""
    subjects = ((tokens, subject_of(tokens)) for tokens in sentences)
    return frozenset(_class(tokens[at]) for tokens, at in subjects if at is not None) & CLASSES


def subject_of(sentence: Sequence[Token]) -> int | None:
    """Return the index of the first noun that may be what a sentence is about; None for a pronoun or a value."""
    for at, token in enumerate(sentence):
        if token.key in _PERSONAL or token.value:
            return None
        if token.kind in _NOUNS and not token.text.endswith("ly") and _is_subject(sentence, at):
            return at
    return None


def _class(token: Token) -> str:
    """The key of a noun; of a Korean one without the particle that a word of one letter keeps: 강의."""
    plain = token.text[:-1]
    return plain if token.case and plain in CLASSES else token.key


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
