"""What a Korean question is about: the thing, or the person, that a follow-up question means (N9)."""

from collections.abc import Sequence

from domain.entities.names import FoundName, find_names
from domain.question.follow_up.korean_phrases import (
    ATTRIBUTES,
    DATE,
    EVENT,
    ROLES,
    TIMES,
    Token,
    labels_of,
    marked,
    noun_phrase,
    tokens_of,
)

_ORGANISATIONS = ("회사", "기업", "기관", "단체", "업체", "조직")


def thing_of(topic: str, said: Sequence[Token]) -> str | None:
    if labels := labels_of(topic):
        return labels[0].text
    owned = owned_place(said)
    if owned is not None and said[owned + 1].base in ATTRIBUTES:
        return _phrase(topic, said, owned)
    return _named(topic, said) or _marked_phrase(topic, said)


def event_of(topic: str, said: Sequence[Token]) -> str | None:
    # With its date: 2023년 7월 12일 사고.
    for place, token in enumerate(said):
        if EVENT.search(token.base) and not token.is_asking:
            event = _phrase(topic, said, place)
            date = DATE.search(topic)
            return f"{date[0]} {event}" if date and date[0] not in event else event
    return None


def _named(topic: str, said: Sequence[Token]) -> str | None:
    for name in names_in(topic):
        place = next((place for place, token in enumerate(said) if token.start <= name.start < token.end), None)
        if place is None or name.text in ATTRIBUTES or _is_time(said[place].base) or ROLES.search(said[place].base):
            continue
        while not said[place].particle and place + 1 < len(said) and said[place + 1].may_be_a_noun:
            place += 1
        return topic[name.start : said[place].end]
    return None


def _marked_phrase(topic: str, said: Sequence[Token]) -> str | None:
    for particles in (("은", "는"), ("이", "가"), ("을", "를")):
        for place in marked(said, *particles):
            if not _is_time(phrase := _phrase(topic, said, place)):
                return phrase
    return None


def person_of(topic: str, said: Sequence[Token]) -> str | None:
    # One with a role, or with a name.
    for place, token in enumerate(said):
        if ROLES.search(token.base) and not token.is_asking:
            return _phrase(topic, said, place)
    return next((name.text for name in names_in(topic) if name.kind == "person"), None)


def of_class(noun: str, topic: str, said: Sequence[Token]) -> str | None:
    # 펌프 4 for 그 펌프, 서울 지점 for 그 지점.
    for label in labels_of(topic):
        if noun in label.classes:
            return label.text
    if noun in _ORGANISATIONS:
        return next((name.text for name in names_in(topic) if name.kind in ("organisation", "loanword")), None)
    place = next((place for place, token in enumerate(said) if token.base == noun), None)
    return None if place is None else _phrase(topic, said, place)


def owned_place(said: Sequence[Token]) -> int | None:
    # 램프 in 램프의 가격은.
    return next((place for place in marked(said, "의") if place + 1 < len(said)), None)


def names_in(topic: str) -> list[FoundName]:
    return [name for name in find_names(topic) if not any(token.is_asking for token in tokens_of(name.text))]


def _phrase(topic: str, said: Sequence[Token], place: int) -> str:
    start, end = noun_phrase(said, place)
    return topic[start:end]


def _is_time(text: str) -> bool:
    for time in TIMES.values():
        text = time.sub("", text)
    return not text.strip()
