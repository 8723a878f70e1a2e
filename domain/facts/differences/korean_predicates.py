"""Finds what Korean predicates and particles change: duties, undone acts, opposites, 만 and 보다 (V2, V3)."""

from collections.abc import Collection, Iterator, Sequence

from domain.facts.kinds import Difference
from domain.facts.reading.korean import are_opposed, is_korean
from domain.facts.reading.token_alignment import Alignment, tokens_match
from domain.facts.reading.tokens import Token

_UNDOING = frozenset("부결 포기 거부 거절 철회 기각 무산 백지화 단념 사양".split())
"""Predicates after which what they are about was not done."""
_CHANGES = tuple(
    "증가 감소 상승 하락 인상 인하 늘 줄 오르 올 내리 내렸 내린 떨어 높아 낮아 커졌 작아 확대 축소 성장".split()
)
_ABLE = "있"


def korean_differences(alignment: Alignment) -> Iterator[Difference]:
    if not any(is_korean(each.text) for each in alignment.statement):
        return
    yield from _weakened_duty(alignment)
    yield from _moved_only(alignment)
    yield from _values_of_other_verbs(alignment)
    yield from _amounts_of_change(alignment)


def longer_nouns(alignment: Alignment, source_keys: Collection[str]) -> Iterator[Difference]:
    # 상품 is no 상품권.
    for mine, theirs in (*alignment.pairs, *alignment.moved):
        one, other = alignment.statement[mine], alignment.source[theirs]
        nouns = one.kind == other.kind == "word" and bool(other.case) and is_korean(one.key)
        if nouns and one.key != other.key and one.key.startswith(other.key) and one.key in source_keys:
            yield Difference("subject", one.text, other.text)


def _weakened_duty(alignment: Alignment) -> Iterator[Difference]:
    # 제출해야 한다 and 제출할 수 있다.
    duty = next((each for each in alignment.source if each.cue == "obliged"), None)
    if duty is None or any(each.cue == "obliged" for each in alignment.statement):
        return
    permitted = next((at for at in range(len(alignment.statement)) if _permits(alignment.statement, at)), None)
    if permitted is None or any(_permits(alignment.source, at) for at in range(len(alignment.source))):
        return
    verb = next((each for each in reversed(alignment.statement[:permitted]) if each.is_content), None)
    if verb and any(tokens_match(verb, each) for each in alignment.source):
        yield Difference("modality", verb.text, duty.text)


def _permits(tokens: Sequence[Token], at: int) -> bool:
    # 수 of `할 수 있다`, 도 of `해도 된다`.
    token = tokens[at]
    if token.key == "수" and at + 1 < len(tokens):
        return tokens[at + 1].text.startswith(_ABLE)
    return token.cue == "possible" and token.text == "도"


def _moved_only(alignment: Alignment) -> Iterator[Difference]:
    # 직원만 주차장을 쓴다 and 직원은 주차장만 쓴다.
    restricted = [_restricted(alignment.source, at) for at, each in enumerate(alignment.source) if _is_only(each)]
    known = [each for each in restricted if each]
    for at, cue in enumerate(alignment.statement):
        noun = _restricted(alignment.statement, at) if _is_only(cue) else None
        if noun is None or not known or any(tokens_match(noun, each) for each in known):
            continue
        if any(tokens_match(noun, each) for each in alignment.source if each.is_content):
            yield Difference("quantifier", f"{noun.text}", known[0].text)


def _is_only(token: Token) -> bool:
    return token.cue == "only" and token.text.startswith("만")


def _restricted(tokens: Sequence[Token], at: int) -> Token | None:
    before = tokens[at - 1] if at else None
    return before if before and before.is_content else None


def _values_of_other_verbs(alignment: Alignment) -> Iterator[Difference]:
    # `9시에 시작해 11시에 끝난다` has no start at 11.
    verb = _last_content(alignment.statement)
    pairs = (*alignment.pairs, *alignment.moved)
    place = next((theirs for mine, theirs in pairs if verb is not None and alignment.statement[mine] is verb), None)
    if place is None or len({each.clause for each in alignment.statement}) > 1:
        return
    clause = alignment.source[place].clause
    own = [each for each in alignment.source if each.clause == clause]
    if _last_content(own) is not alignment.source[place]:
        return
    for mine, theirs in pairs:
        value, there = alignment.statement[mine], alignment.source[theirs]
        if not value.value or there.clause == clause or any(tokens_match(value, each) for each in own):
            continue
        beside = [each for each in alignment.source if each.clause == there.clause]
        other = _last_content(beside)
        actual = next((each for each in own if each.value and _same_kind(each, value)), None)
        if (
            actual
            and other
            and not (other.value or other.case)
            and not any(tokens_match(other, each) for each in alignment.statement)
        ):
            yield Difference("date" if value.value.date else "number", value.text, actual.text)


def _amounts_of_change(alignment: Alignment) -> Iterator[Difference]:
    """Yield by how much something changed in the statement, where the source says from or to how much, and vice versa.

    8%에서 10%로 올랐다 does not say that it 10% 올랐다, nor 12% 증가한 4조 원 that it 4조 원 증가했다.
    """
    for mine, theirs in (*alignment.pairs, *alignment.moved):
        one, other = alignment.statement[mine], alignment.source[theirs]
        if not one.value or not other.value:
            continue
        changes = [_change_behind(alignment.statement, mine), _change_behind(alignment.source, theirs)]
        if not one.case and changes[0] and (other.case == "goal" or not changes[1]):
            known = [at for at, each in enumerate(alignment.source) if each.value and at != theirs]
            amount = next((at for at in known if _change_behind(alignment.source, at)), None)
            if other.case == "goal" or amount is not None:
                yield Difference("number", one.text, other.text if amount is None else alignment.source[amount].text)
        is_end = one.case == "goal" and changes[0]
        if is_end and (other.case == "source" or (not other.case and changes[1])):
            yield Difference("number", one.text, other.text)


def _change_behind(tokens: Sequence[Token], at: int) -> bool:
    # `10% 올랐다`, `10%로 올랐다`, `12% 증가한`.
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    return behind is not None and behind.is_content and behind.text.startswith(_CHANGES)


def _last_content(tokens: Sequence[Token]) -> Token | None:
    return next((each for each in reversed(tokens) if each.is_content), None)


def _same_kind(one: Token, other: Token) -> bool:
    mine, theirs = one.value, other.value
    if mine is None or theirs is None or (mine.date is None) != (theirs.date is None):
        return False
    if mine.quantity is None or theirs.quantity is None:
        return True
    return mine.quantity.dimension == theirs.quantity.dimension and mine.counter == theirs.counter


def turned(alignment: Alignment) -> Difference | None:
    """Return an odd number of opposites and undone acts: 닫는다 and 열지, 출전을 포기했다 and 출전했다.

    It is a difference, unless one of the sentences denies.
    """
    found = [*_opposites(alignment), *_undone(alignment)]
    return found[0] if len(found) % 2 else None


def _opposites(alignment: Alignment) -> Iterator[Difference]:
    for gap in alignment.gaps:
        ours, theirs = ([each for each in tokens if _is_word(each)] for tokens in (gap.statement, gap.source))
        pairs = ((one, other) for one in ours for other in theirs if are_opposed(one.key, other.key))
        if found := next(pairs, None):
            yield Difference("negation", found[0].text, found[1].text)


def _undone(alignment: Alignment) -> Iterator[Difference]:
    undoing = [each for at, each in enumerate(alignment.source) if at not in alignment.matched_source and _undoes(each)]
    last = _last_content(alignment.statement)
    if undoing and last and any(tokens_match(last, each) for each in alignment.source if each.is_content):
        yield Difference("negation", last.text, undoing[0].text)


def _undoes(token: Token) -> bool:
    return _is_word(token) and token.key in _UNDOING


def _is_word(token: Token) -> bool:
    return token.kind in ("word", "name")


def has_exchanged_sides(alignment: Alignment) -> bool:
    # Compared with 보다: 유럽 매출은 아시아 매출보다, and the other way round.
    mine, theirs = _sides(alignment.statement), _sides(alignment.source)
    if mine is None or theirs is None:
        return False
    own = [_without(*mine), _without(mine[1], mine[0])]
    known = [_without(*theirs), _without(theirs[1], theirs[0])]
    return _are_same(own[0], known[1]) and _are_same(own[1], known[0])


def _sides(tokens: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]] | None:
    than = next((at for at, each in enumerate(tokens) if each.case == "than"), None)
    subject = next((at for at, each in enumerate(tokens) if each.case in ("subject", "topic")), None)
    return None if than is None or subject is None else (_phrase(tokens, subject), _phrase(tokens, than))


def _phrase(tokens: Sequence[Token], at: int) -> Sequence[Token]:
    first = at
    while first and tokens[first - 1].is_content and tokens[first - 1].case in ("", "owner"):
        first -= 1
    return tokens[first : at + 1]


def _without(some: Sequence[Token], others: Sequence[Token]) -> Sequence[Token]:
    return [each for each in some if not any(tokens_match(each, other) for other in others)]


def _are_same(some: Sequence[Token], others: Sequence[Token]) -> bool:
    return bool(some) and bool(others) and not _without(some, others) and not _without(others, some)
