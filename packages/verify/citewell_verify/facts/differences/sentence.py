"""Finds the differences between a statement and a sentence of its source that otherwise says the same (V2, V3)."""

from collections.abc import Iterator, Sequence

from citewell_verify.entities.names import same_country
from citewell_verify.facts.differences.cues import cue_differences
from citewell_verify.facts.differences.gaps import (
    SentenceContext,
    name_differences,
    unit_differences,
    value_differences,
)
from citewell_verify.facts.differences.opposites import are_opposites
from citewell_verify.facts.differences.parties import korean_party_differences, order_differences, voice_differences
from citewell_verify.facts.kinds import Difference, Kind
from citewell_verify.facts.reading import korean
from citewell_verify.facts.reading.token_alignment import Alignment, Gap
from citewell_verify.facts.reading.tokens import Token
from citewell_verify.facts.reading.vocabulary import GENERIC

_DEMONSTRATIVES = ("이", "그", "저", "해당")  # before a noun: 이 공장은


def differences(alignment: Alignment, around: SentenceContext) -> list[Difference]:
    observed: list[Difference] = []
    moved = {index for index, _ in alignment.moved}, {index for _, index in alignment.moved}
    stated_at = {id(token): index for index, token in enumerate(alignment.statement)}
    known_at = {id(token): index for index, token in enumerate(alignment.source)}
    for gap in alignment.gaps:
        left = Gap(
            tuple(token for token in gap.statement if stated_at[id(token)] not in moved[0]),
            tuple(token for token in gap.source if known_at[id(token)] not in moved[1]),
        )
        observed += value_differences(left, alignment)
        observed += cue_differences(left, alignment)
        observed += name_differences(left, alignment, around)
        observed += _words(left, alignment, around)
    parties = (order_differences, voice_differences, korean_party_differences)
    return [
        *observed,
        *unit_differences(alignment),
        *(difference for find in parties for difference in find(alignment)),
    ]


def _words(gap: Gap, alignment: Alignment, around: SentenceContext) -> Iterator[Difference]:
    counterparts = [
        token for token in gap.source if token.kind in ("word", "name") and token.text not in _DEMONSTRATIVES
    ]
    for token in gap.statement:
        if token.kind != "word":
            continue
        generic = any(
            counterpart.key in GENERIC and (counterpart.case or counterpart.key not in korean.GENERIC)
            for counterpart in counterparts
        )
        stands_for = generic and token.key in around.context_keys
        opposite = next((counterpart for counterpart in counterparts if are_opposites(token, counterpart)), None)
        if opposite and _is_denied_by_one(alignment):
            continue  # "not invalid" for "valid"
        sure = alignment.is_single_substitution
        if opposite:
            yield Difference("negation", token.text, opposite.text, sure=sure)
        elif counterparts and not stands_for and not _is_other_form(token, counterparts):
            kind: Kind = "subject" if sure and token.key in around.source_keys else "wording"
            yield Difference(kind, token.text, counterparts[0].text, sure=sure)
        elif not counterparts and token.key not in around.context_keys:
            yield Difference("wording", token.text, None, sure=False)


def _is_denied_by_one(alignment: Alignment) -> bool:
    stated, known = (
        sum(token.cue == "denied" for token in tokens) for tokens in (alignment.statement, alignment.source)
    )
    return stated % 2 != known % 2


def _is_other_form(token: Token, counterparts: Sequence[Token]) -> bool:
    """Return whether a word is another form of a counterpart: `정 선장` for `정해성 선장`, `America` for `US`."""
    if any(same_country([token.text.casefold()], counterpart.text.casefold().split()) for counterpart in counterparts):
        return True
    return (
        len(token.text) == 1
        and token.text >= "가"
        and any(counterpart.text.startswith(token.text) for counterpart in counterparts)
    )
