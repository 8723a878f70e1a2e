"""Finds values that a sentence gives to one subject and the statement to another (V2).

"Honey contains 80 percent sugar, maple syrup 67" does not say that maple syrup contains 80: value and subject are in
different clauses, the value's clause has a subject of its own, and the subject's clause has a value of its own. In
"Anna and Boris scored 71 and 84 points respectively" each value belongs to the name in the same place of the list.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from domain.facts.reading.token_alignment import Alignment, align, tokens_match
from domain.facts.reading.tokens import Token

_DIGITS = re.compile(r"\d+")
_MOST_LEADING = 3  # words before what a clause shares with the statement: the clause's own subject
_MOST_PARTS = 4  # clauses of a statement that are looked at separately
_MOST_COMPARED = 30  # words of a statement, and of each clause
_VERBAL = ("ed", "ing")
_IN_TURN = ("respectively", "각각")
_JOINED = ("와", "과", "하고", "이랑", "랑")


@dataclass(frozen=True, slots=True)
class Misattribution:
    """`value` belongs to `owner` in the source, where `subject` has `actual` instead. Not `is_value`: another kind
    of fact."""

    value: str
    subject: str
    owner: str
    actual: str
    is_value: bool = True


def misattributed_values(alignment: Alignment) -> Iterator[Misattribution]:
    yield from _out_of_order(alignment)
    if len({each.clause for each in alignment.statement}) > 1:
        for part in _parts(alignment.statement):
            yield from misattributed_values(align(part, alignment.source))
        return
    rest = [each for at, each in enumerate(alignment.source) if at not in alignment.matched_source]
    known = [
        alignment.source[at]
        for at in sorted(alignment.matched_source)
        if _is_in_one_clause(alignment.source[at], alignment)
    ]
    for value in known:
        if owner := _owner(value, alignment):
            yield from (
                _values_of_other_clauses(value, owner, known, rest)
                if value.value
                else _facts_of_similar_identifiers(value, owner, known, rest, alignment.source)
            )
    yield from _crossed_clauses(known, rest, alignment.source)


def _parts(statement: Sequence[Token]) -> Iterator[Sequence[Token]]:
    clauses = sorted({each.clause for each in statement})
    for number in clauses[:_MOST_PARTS]:
        yield [each for each in statement if each.clause == number]


def _out_of_order(alignment: Alignment) -> Iterator[Misattribution]:
    """Yield the values that the statement gives to another member of a list with "respectively" than the source
    does."""
    listed = _listed(alignment.source)
    stated = [owner for owner, _ in listed if any(tokens_match(owner, each) for each in alignment.statement)]
    if len(stated) != 1:
        return
    known = next(value for owner, value in listed if owner is stated[0])
    for owner, value in listed:
        said = [each for each in alignment.statement if each.value and tokens_match(each, value)]
        if owner is not stated[0] and said and not tokens_match(said[0], known):
            yield Misattribution(said[0].text, stated[0].text, owner.text, known.text)


def is_in_turn(tokens: Sequence[Token]) -> bool:
    # "respectively": its values belong to the members of a list, one by one.
    return any(each.text.casefold().startswith(_IN_TURN) for each in tokens)


def _listed(tokens: Sequence[Token]) -> list[tuple[Token, Token]]:
    # Of a list with "respectively"; empty if the lists differ in length.
    if not is_in_turn(tokens):
        return []
    turn = next(each.start for each in tokens if each.text.casefold().startswith(_IN_TURN))
    values = [each for each in tokens if each.value]
    values = [each for each in values if each.start > turn] or values
    before = [each for each in tokens if values and each.start < values[0].start and each.is_content]
    named = [each for each in before if each.kind == "name" or each.text[0].isupper() or each.text.endswith(_JOINED)]
    last = next((each for each in before if named and each.start > named[-1].start), None)
    owners = [*named, last] if last and named[-1].text.endswith(_JOINED) else named
    if len(owners) != len(values):
        owners = [each for each in named if _identifier_pattern(each)]
    return list(zip(owners, values, strict=True)) if len(owners) == len(values) > 1 else []


def _values_of_other_clauses(
    value: Token, owner: Token, known: Sequence[Token], rest: Sequence[Token]
) -> Iterator[Misattribution]:
    for subject in known:
        counterpart = next((each for each in rest if each.clause == subject.clause and are_alike(each, value)), None)
        if (
            _can_own(subject)
            and subject.clause != value.clause
            and counterpart
            and bool(subject.value) == bool(owner.value)
        ):
            yield Misattribution(value.text, subject.text, owner.text, counterpart.text)
            return


def _facts_of_similar_identifiers(
    fact: Token, owner: Token, known: Sequence[Token], rest: Sequence[Token], sentence: Sequence[Token]
) -> Iterator[Misattribution]:
    # "B-12 is found in meat, B-6 in bananas".
    joint = _preceding_function_word(fact, sentence)
    for subject in known:
        if (
            not joint
            or subject.clause == fact.clause
            or not _identifier_pattern(subject)
            or _identifier_pattern(subject) != _identifier_pattern(owner)
        ):
            continue
        counterpart = next(
            (
                each
                for each in rest
                if each.clause == subject.clause and _preceding_function_word(each, sentence) == joint
            ),
            None,
        )
        if counterpart:
            yield Misattribution(fact.text, subject.text, owner.text, counterpart.text, is_value=False)
            return


def _crossed_clauses(
    known: Sequence[Token], rest: Sequence[Token], sentence: Sequence[Token]
) -> Iterator[Misattribution]:
    """Yield what the statement joins from two clauses of which each has something else in that place.

    "Chapters 3-5 cover law, chapters 6-8 cover trade" does not say that chapters 6-8 cover law.
    """
    frames = {id(each): _frames(at, sentence) for at, each in enumerate(sentence)}
    others = _by_clause(rest)
    content = [each for each in known if each.is_content][:_MOST_COMPARED]
    for subject, fact in product(content, repeat=2):
        if subject.clause == fact.clause or subject.value:
            continue
        owner = next((each for each in others[fact.clause] if _may_stand_alike(each, subject, frames)), None)
        actual = next((each for each in others[subject.clause] if _may_stand_alike(each, fact, frames)), None)
        if owner and actual and (_stand_alike(owner, subject, frames) or _stand_alike(actual, fact, frames)):
            yield Misattribution(fact.text, subject.text, owner.text, actual.text, is_value=fact.value is not None)
            return


def _by_clause(tokens: Sequence[Token]) -> Mapping[int, Sequence[Token]]:
    found: dict[int, list[Token]] = defaultdict(list)
    for each in tokens:
        if each.is_content and len(found[each.clause]) < _MOST_COMPARED:
            found[each.clause].append(each)
    return found


def _may_stand_alike(one: Token, other: Token, frames: Mapping[int, set[tuple[str, str]]]) -> bool:
    return one.kind == other.kind == "name" or _stand_alike(one, other, frames)


def _stand_alike(one: Token, other: Token, frames: Mapping[int, set[tuple[str, str]]]) -> bool:
    if one.value or other.value:
        return are_alike(one, other)
    return bool(frames[id(one)] & frames[id(other)])


def _frames(at: int, sentence: Sequence[Token]) -> set[tuple[str, str]]:
    clause, case = sentence[at].clause, sentence[at].case
    before = sentence[at - 1].key if at and sentence[at - 1].clause == clause else ""
    after = sentence[at + 1].key if at + 1 < len(sentence) and sentence[at + 1].clause == clause else ""
    return {each for each in (("before", before), ("after", after), ("case", case)) if each[1]}


def _preceding_function_word(token: Token, sentence: Sequence[Token]) -> str:
    at = next(index for index, each in enumerate(sentence) if each is token)
    return sentence[at - 1].key if at and sentence[at - 1].kind == "filler" and token.is_content else ""


def _identifier_pattern(token: Token) -> str:
    return _DIGITS.sub("#", token.key) if token.kind == "name" and _DIGITS.search(token.key) else ""


def _can_own(token: Token) -> bool:
    return token.is_content and not token.text.endswith("다")


def _is_in_one_clause(token: Token, alignment: Alignment) -> bool:
    return len({each.clause for each in alignment.source if tokens_match(each, token)}) == 1


def _owner(value: Token, alignment: Alignment) -> Token | None:
    leading: list[Token] = []
    for at, token in enumerate(alignment.source):
        if token.clause == value.clause and token.is_content:
            if at in alignment.matched_source and not token.case:
                break
            if at not in alignment.matched_source:
                leading.append(token)
    return next((each for each in leading[:_MOST_LEADING] if not each.text.endswith(_VERBAL)), None)


def are_alike(one: Token, other: Token) -> bool:
    # One may omit the unit, as in "80 tonnes, 120".
    if not (one.value and other.value) or bool(one.value.date) != bool(other.value.date):
        return False
    if one.value.counter and one.value.counter == other.value.counter:
        return True
    mine, theirs = one.value.quantity, other.value.quantity
    if mine is None or theirs is None:
        return True
    if mine.unit and theirs.unit and "" != mine.dimension == theirs.dimension:
        return True
    if mine.weak and theirs.weak != mine.weak:
        return False
    bare = not (mine.unit or mine.nouns) or not (theirs.unit or theirs.nouns)
    return bare or (mine.unit == theirs.unit if mine.unit or theirs.unit else bool(mine.nouns & theirs.nouns))
