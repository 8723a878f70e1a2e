"""What a Korean follow-up question leaves out: 펌프 20은? (N9)."""

import re
from collections.abc import Sequence

from domain.entities.names import KOREAN_PERSON, find_names
from domain.question.follow_up.korean_phrases import (
    ATTRIBUTES,
    MEASURES,
    OF_EVENTS,
    ROLES,
    TIMES,
    Label,
    Token,
    labels_of,
    marked,
    noun_phrase,
    replaced,
    tokens_of,
    with_particle,
)
from domain.question.follow_up.korean_subjects import event_of, names_in, owned_place, thing_of
from domain.question.follow_up.restatement import Restatement

_ASKS_THE_SAME = re.compile(
    "(?:의 경우(?:는|에는|도)?(?:요)?"
    "|(?:은|는|이|가|도)?(?:요)? ?(?:어때요?|어떤가요|어떻습니까|어떻게 (?:되나요|돼요|됩니까|되죠))"
    "|도 (?:그런가요|그렇습니까|그래요|같나요|같은가요|마찬가지인가요|마찬가지예요|동일한가요)"
    "|(?:은|는|도|이)?요|은|는|도)?$"
)
"""How such a question ends, behind what it asks about."""
_FEW, _MOST_WORDS = 2, 4
_CLASS = re.compile("^[가-힣]+(?:직|자|비|료|팀|실|점|급|권|증|액|율|률|원|생|용|형|식|소|관|장)$")
"""Nouns that end alike are of one class, and one takes the place of the other."""


def left_out(body: str) -> str | None:
    # Of a question without a verb: 펌프 20은, 부산 지점은요, 2022년에는 어떤가요.
    ending = _ASKS_THE_SAME.search(body)
    thing = body[: ending.start()] if ending else body
    said = tokens_of(thing)
    if not said or len(said) > (_MOST_WORDS if ending and ending[0] else _FEW):
        return None
    if any(token.is_asking or token.is_predicate for token in said) or _has_a_verb(body, ending):
        return None
    # "펌프 20의 온도는" says whose.
    last = body.split()[-1][: len(said[-1].base)]
    if any(token.particle == "의" for token in said[:-1]) and last in ATTRIBUTES | OF_EVENTS:
        return None
    if any(token.particle in ("은", "는", "가", "을", "를") for token in said[:-1]):
        return None
    # 온도 ends as 온 does with a particle.
    return body if body.split()[-1] in ATTRIBUTES else thing


def _has_a_verb(body: str, ending: re.Match[str] | None) -> bool:
    return not (ending and " " in ending[0]) and tokens_of(body)[-1].is_predicate


def asked_instead(thing: str, topic: str) -> Restatement | None:
    """The question `topic`, asked about `thing`, which may keep a particle such as 에."""
    bare = re.sub(r"(?:에서는|에서|에는|에)$", "", thing) if len(tokens_of(thing)[-1].base) > 1 else thing
    bare = thing if thing in ATTRIBUTES else bare
    if text := _other_time(bare, topic) or _other_label(bare, topic):
        return Restatement(text)
    said = tokens_of(topic)
    if text := _of_its_class(bare, topic, said) or _of_the_event(bare, topic, said):
        return Restatement(text)
    if bare.split()[-1] in ATTRIBUTES:
        owner = thing_of(topic, said)
        return Restatement(f"{owner}의 {with_particle(bare, '은')}?") if owner else None
    if text := _other_phrase(bare, topic, said) or _other_name(bare, topic, said):
        return Restatement(text)
    if text := _elsewhere(thing, bare, topic, said):
        return Restatement(text)
    return None


def _of_its_class(new: str, topic: str, said: Sequence[Token]) -> str | None:
    # 계약직 in the place of 정규직, 사망자 in that of 부상자, 박지영 in that of 김민수 팀장.
    if not _CLASS.search(new) and not KOREAN_PERSON.fullmatch(new):
        return None
    for place, token in enumerate(said):
        if _CLASS.search(token.base) and token.base[-1] == new[-1] and not (token.is_asking or token.is_predicate):
            is_whole = new in OF_EVENTS or place == 0 or said[place - 1].particle
            return replaced(topic, token.start, token.end, new) if is_whole and token.base != new else None
    if KOREAN_PERSON.fullmatch(new) and new not in ATTRIBUTES:
        for place, token in enumerate(said):
            if ROLES.search(token.base) and place and KOREAN_PERSON.fullmatch(said[place - 1].base):
                return replaced(topic, said[place - 1].start, token.end, new)
    return None


def _of_the_event(new: str, topic: str, said: Sequence[Token]) -> str | None:
    # 사망자는? after a question about an accident.
    if new.replace(" ", "") not in OF_EVENTS and new.split()[-1] not in OF_EVENTS:
        return None
    event = event_of(topic, said)
    return f"{event}의 {with_particle(new, '은')}?" if event else None


def _elsewhere(thing: str, bare: str, topic: str, said: Sequence[Token]) -> str | None:
    # 실내에서는 in the place of 정원에서, or in addition; 겨울에는 in addition.
    particle = thing.removeprefix(bare).removesuffix("는")
    if particle not in ("에서", "에"):
        return None
    for place in marked(said, particle, f"{particle}는") if particle == "에서" else ():
        start, end = noun_phrase(said, place)
        return topic[:start] + bare + topic[end:]
    return None if any(said[place].particle for place in marked(said, particle)) else f"{bare}{particle}는 {topic}"


def without_owner(body: str, rest: str, topic: str) -> Restatement | None:
    # Korean may leave out what it is about: 언제 점검하나요? or 온도는 얼마인가요?
    said = tokens_of(body)
    if not any(token.is_asking for token in said):
        return None
    owner = thing_of(topic, tokens_of(topic))
    if owner is None:
        return None
    if said[0].base in OF_EVENTS and said[0].particle in ("은", "는", "이", "가") and _asks_only(said[1:]):
        event = event_of(topic, tokens_of(topic))
        return Restatement(f"{event}의 {rest}") if event else None
    if said[0].base in MEASURES and said[0].particle in ("은", "는", "이", "가") and _asks_only(said[1:]):
        is_clear = bool(labels_of(topic) or names_in(topic))
        return Restatement(f"{owner}의 {rest}") if is_clear else None
    if _asks_only(said) and said[-1].is_predicate:
        return Restatement(f"{with_particle(owner, '은')} {rest}")
    return None


def _asks_only(said: Sequence[Token]) -> bool:
    # No noun but those that a question word asks for: 어느 부서가 담당하나요.
    is_asked_for = False
    for token in said:
        if not (token.is_asking or token.is_predicate or token.is_adverb or is_asked_for):
            return False
        is_asked_for = token.base in ("어느", "어떤", "무슨", "몇")
    return True


def _other_time(new: str, topic: str) -> str | None:
    kinds = [kind for kind, time in TIMES.items() if time.search(new)]
    left = new
    for time in TIMES.values():
        left = time.sub("", left)
    if not kinds or left.strip() or not all(TIMES[kind].search(topic) for kind in kinds):
        return None
    for kind in kinds:
        given = TIMES[kind].search(new)
        topic = TIMES[kind].sub(given[0] if given else "", topic, count=1)
    return topic


def _other_label(new: str, topic: str) -> str | None:
    # 펌프 20, 20번 or 20 in the place of 펌프 4.
    known = labels_of(topic)
    for label in labels_of(new):
        for old in known:
            if label.has_noun and label.classes & old.classes:
                return replaced(topic, old.start, old.end, label.text)
        alike = [old for old in known if label.classes & old.classes] or (
            known if label.classes == frozenset({"번"}) else []
        )
        if not label.has_noun and len(alike) == 1:
            return _with_number(topic, alike[0], label.text)
    if re.fullmatch(r"\d{1,6}(?:[.-]\d{1,4})*|[A-Z]", new) and len(known) == 1:
        return _with_number(topic, known[0], new)
    return None


def _with_number(topic: str, old: Label, number: str) -> str:
    # A counter stays as the topic has it.
    start, end = old.number
    count = re.search(r"[가-힣]+$", topic[start:end])
    digits = re.sub(r"[가-힣]+$", "", number)
    new = digits + (count[0] if count else "")
    return topic[:start] + new + topic[end:] if count else replaced(topic, start, end, new)


def _other_phrase(new: str, topic: str, said: Sequence[Token]) -> str | None:
    # With the same last noun: 부산 지점 in the place of 서울 지점.
    head = new.split()[-1]
    if len(new.split()) < _FEW and not labels_of(new):
        return None
    for place, token in enumerate(said):
        if token.base == head and not token.is_asking:
            start, end = noun_phrase(said, place)
            return replaced(topic, start, end, new)
    return None


def _other_name(new: str, topic: str, said: Sequence[Token]) -> str | None:
    # A name for a name, an owner for an owner, else what the question is about (은, 는) if both are single words.
    if len(new.split()) > 1 and not find_names(new):
        return None
    names = [name for name in names_in(topic) if name.text not in ATTRIBUTES]
    kinds = {name.kind for name in find_names(new)}
    for name in names:
        if name.kind in kinds:
            return replaced(topic, name.start, name.start + len(name.text), new)
    if (owned := owned_place(said)) is not None and said[owned + 1].base in ATTRIBUTES:
        start, end = noun_phrase(said, owned)
        return replaced(topic, start, end, new)
    if len(new.split()) > 1:
        return None
    for place in marked(said, "은", "는"):
        start, end = noun_phrase(said, place)
        if " " not in topic[start:end] and not labels_of(topic):
            return replaced(topic, start, end, new)
        return None
    return None
