"""Finds numbers that a statement gives to another thing than the source counts with them (V2).

"Twelve lessons of 50 minutes" has no 50 lessons, 사과나무 스무 그루와 배나무 열두 그루 no twelve 사과나무. The thing
follows its number in English, and precedes it in Korean.
"""

from collections.abc import Iterator, Sequence

from domain.facts.kinds import Difference
from domain.facts.reading.korean import is_korean
from domain.facts.reading.token_alignment import Alignment, tokens_match
from domain.facts.reading.tokens import Token

_AMONG = ("중", "중에", "중에서", "가운데")


def miscounted_things(alignment: Alignment) -> Iterator[Difference]:
    pairs = (*alignment.pairs, *alignment.moved)
    place = dict(pairs)
    for mine, theirs in pairs:
        value = alignment.statement[mine]
        if not value.value:
            continue
        thing = _thing(alignment.statement, mine)
        if thing is None or thing not in place or place[thing] == _thing(alignment.source, theirs):
            continue
        actual = _number(alignment.source, place[thing])
        if actual is None or actual is alignment.source[theirs] or _is_part(alignment.source, theirs, actual):
            continue
        if not tokens_match(value, actual):
            yield Difference("number", value.text, actual.text)


def _is_part(tokens: Sequence[Token], at: int, whole: Token) -> bool:
    # `three of the twelve rooms`, `20명 중 15명`.
    last = next(place for place, each in enumerate(tokens) if each is whole)
    between = [each.key for each in tokens[at + 1 : last]]
    return between[:1] == ["of"] or any(each.key in _AMONG for each in tokens[last + 1 : at])


def is_recounted(alignment: Alignment) -> bool:
    places = range(len(alignment.statement))
    lost = [at for at in places if at not in alignment.matched_statement and alignment.statement[at].is_content]
    return bool(lost) and all(_is_counted_otherwise(at, alignment) for at in lost)


def _is_counted_otherwise(at: int, alignment: Alignment) -> bool:
    value = alignment.statement[at].value
    thing = _thing(alignment.statement, at) if value and value.counter else None
    place = dict((*alignment.pairs, *alignment.moved)).get(thing) if thing is not None else None
    actual = _number(alignment.source, place) if place is not None else None
    return bool(value and actual and actual.value and actual.value.counter == value.counter)


def _thing(tokens: Sequence[Token], at: int) -> int | None:
    value = tokens[at].value
    before = at - 1 if value and value.counter else -1
    beside = before if any(is_korean(each.text) for each in tokens) else at + 1
    if not 0 <= beside < len(tokens):
        return None
    noun = tokens[beside]
    is_noun = noun.kind in ("word", "name") and noun.clause == tokens[at].clause
    return beside if is_noun and (not noun.case or not is_korean(noun.text)) else None


def _number(tokens: Sequence[Token], thing: int) -> Token | None:
    for at in (thing - 1, thing + 1):
        if 0 <= at < len(tokens) and tokens[at].value and _thing(tokens, at) == thing:
            return tokens[at]
    return None
