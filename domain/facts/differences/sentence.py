"""Finds the differences between a statement and a sentence of its source that otherwise says the same (V2, V3)."""

from collections.abc import Iterator, Sequence

from domain.entities.names import same_country
from domain.facts.differences.cues import cue_differences
from domain.facts.differences.gaps import SentenceContext, name_differences, unit_differences, value_differences
from domain.facts.differences.korean_nouns import other_nouns
from domain.facts.differences.korean_predicates import (
    has_exchanged_sides,
    korean_differences,
    longer_nouns,
    turned,
)
from domain.facts.differences.misattribution import misattributed_values
from domain.facts.differences.opposites import are_opposites
from domain.facts.differences.word_order import case_differences, order_differences
from domain.facts.kinds import Difference, Kind
from domain.facts.reading import korean
from domain.facts.reading.token_alignment import Alignment, Gap
from domain.facts.reading.tokens import Token
from domain.facts.reading.vocabulary import GENERIC

_DEMONSTRATIVES = ("이", "그", "저", "해당")  # before a noun: 이 공장은
_WIDEST = 4  # tokens of the source that may correspond to other words of the statement


def differences(alignment: Alignment, around: SentenceContext) -> list[Difference]:
    found: list[Difference] = []
    moved = {mine for mine, _ in alignment.moved}, {theirs for _, theirs in alignment.moved}
    stated_at = {id(token): index for index, token in enumerate(alignment.statement)}
    known_at = {id(token): index for index, token in enumerate(alignment.source)}
    for gap in alignment.gaps:
        left = Gap(
            tuple(each for each in gap.statement if stated_at[id(each)] not in moved[0]),
            tuple(each for each in _beside(gap, alignment) if known_at[id(each)] not in moved[1]),
        )
        found += value_differences(left, alignment, around)
        found += cue_differences(left, alignment)
        found += name_differences(left, alignment, around)
        found += _words(left, alignment, around)
    found += [
        *unit_differences(alignment),
        *order_differences(alignment),
        *case_differences(alignment),
        *_misattributed(alignment),
    ]
    if any(korean.is_korean(each.text) for each in alignment.statement):
        found = [*_as_in_korean(found, alignment), *longer_nouns(alignment, around.source_keys)]
        found += other_nouns(alignment, around.source_keys)
    return found


def _as_in_korean(found: Sequence[Difference], alignment: Alignment) -> list[Difference]:
    # Two that cancel each other, as 닫는다 for 열지 않는다, are none.
    turning, exchanged = turned(alignment), has_exchanged_sides(alignment)
    if turning or exchanged:
        found = [each for each in found if each.kind not in ("negation", "order")]
        if (turning is not None) ^ exchanged ^ _is_denied_by_one(alignment):
            found.append(turning or Difference("order", alignment.statement[0].text, None))
    elif part := _denied_part(alignment):
        found = [part if each.kind == "negation" else each for each in found]
    return [*found, *korean_differences(alignment)]


def _denied_part(alignment: Alignment) -> Difference | None:
    """Return what the statement denies for something that the sentence does not have: 월요일에는 열지 않는다.

    That does not contradict 10시부터 문을 연다, nor does the one prove the other.
    """
    if not any(each.cue == "denied" for each in alignment.statement) or not _is_denied_by_one(alignment):
        return None
    places = (at for at, each in enumerate(alignment.statement) if each.is_content)
    lost = next((alignment.statement[at] for at in places if at not in alignment.matched_statement), None)
    last = next((each for each in reversed(alignment.source) if each.is_content), None)
    return Difference("wording", lost.text, last.text) if lost and last else None


def _misattributed(alignment: Alignment) -> Iterator[Difference]:
    for each in misattributed_values(alignment):
        if each.is_value:
            yield Difference("number", each.value, each.actual)
        else:
            yield Difference("subject", each.subject, each.owner)


def _beside(gap: Gap, alignment: Alignment) -> Sequence[Token]:
    if len(gap.source) <= _WIDEST or not gap.statement:
        return gap.source
    if gap.source[0] is alignment.source[0]:
        return gap.source[-_WIDEST:]
    return gap.source[:_WIDEST] if gap.source[-1] is alignment.source[-1] else gap.source


def _words(gap: Gap, alignment: Alignment, around: SentenceContext) -> Iterator[Difference]:
    counterparts = [each for each in gap.source if each.kind in ("word", "name") and each.text not in _DEMONSTRATIVES]
    for token in gap.statement:
        if token.kind != "word":
            if opposite := _opposite_ordinal(token, gap):
                yield Difference("negation", token.text, opposite.text)
            continue
        generic = any(each.key in GENERIC and (each.case or each.key not in korean.GENERIC) for each in counterparts)
        stands_for = generic and token.key in around.context_keys
        denied = next((each for each in counterparts if are_opposites(token, each)), None) or _opposite_ordinal(
            token, gap
        )
        if denied and _is_denied_by_one(alignment):
            continue  # "not invalid" for "valid"
        if denied:
            yield Difference("negation", token.text, denied.text)
        elif counterparts and not stands_for and not _is_other_form(token, counterparts):
            exchanged = token.key in around.source_keys and alignment.substitutions == 1 and alignment.is_close
            kind: Kind = "subject" if exchanged else "wording"
            yield Difference(kind, token.text, counterparts[0].text, sure=exchanged or alignment.is_single_substitution)
        elif not counterparts and token.key not in around.context_keys:
            number = _replaced_number(token, gap, alignment)
            yield Difference("wording", token.text, number.text if number else None, sure=number is not None)


def _replaced_number(token: Token, gap: Gap, alignment: Alignment) -> Token | None:
    # With all else equal: 1일에 for 말일에.
    others = [each for each in gap.source if each.is_content]
    alone = [each for each in gap.statement if each.is_content] == [token]
    if token.text.isdecimal() or (korean.is_korean(token.text) and token.text[0].isascii()):
        return None  # "1)" counts steps, `eight개` may be the number
    return others[0] if alone and len(others) == 1 and others[0].value and not alignment.moved else None


def _opposite_ordinal(token: Token, gap: Gap) -> Token | None:
    # `first` and `last`.
    if not token.text.isalpha() or not any(each.value for each in (token, *gap.source)):
        return None
    return next((each for each in gap.source if each.text.isalpha() and are_opposites(token, each)), None)


def _is_denied_by_one(alignment: Alignment) -> bool:
    mine, theirs = (sum(each.cue == "denied" for each in tokens) for tokens in (alignment.statement, alignment.source))
    return mine % 2 != theirs % 2


def _is_other_form(token: Token, counterparts: Sequence[Token]) -> bool:
    # `정 선장` for `정해성 선장`, `America` for `US`.
    if any(same_country([token.text.casefold()], each.text.casefold().split()) for each in counterparts):
        return True
    return (
        len(token.text) == 1 and token.text >= "가" and any(each.text.startswith(token.text) for each in counterparts)
    )
