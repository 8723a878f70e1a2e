"""Finds the differences between a statement and a sentence of its source that otherwise says the same (V2, V3).

These are places of an alignment at which the two sentences have different values, units, names or words.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citewell_verify.entities.names import same_country
from citewell_verify.entities.source_figures import is_in_words
from citewell_verify.facts.differences.cues import cue_differences
from citewell_verify.facts.differences.parties import korean_party_differences, order_differences, voice_differences
from citewell_verify.facts.kinds import Difference, Kind
from citewell_verify.facts.reading import korean
from citewell_verify.facts.reading.token_alignment import Alignment, Gap, are_other_kinds
from citewell_verify.facts.reading.tokens import Token, Value
from citewell_verify.facts.reading.values import same_number_other_unit
from citewell_verify.facts.reading.vocabulary import GENERIC, PREFIXES
from citewell_verify.text.opposites import OPPOSITES
from citewell_verify.text.words import stem


def are_opposites(left: Token, right: Token) -> bool:
    stems = [stem(token.text.casefold()) for token in (left, right)]
    if frozenset(stems) in OPPOSITES:
        return True
    if korean.are_opposed(left.key, right.key):
        return True
    shorter, longer = sorted(stems, key=len)
    if longer[:1] >= "가":
        return any(longer == prefix + shorter for prefix in korean.PREFIXES) or (
            longer[:1] in korean.PREFIXES and shorter[:1] == "유" and longer[1:] == shorter[1:]
        )
    return len(shorter) > 3 and any(longer == prefix + shorter for prefix in PREFIXES)


_ARTICLES = ("the", "a", "an")
_POUNDS = ("£", "gbp", "파운드", "lb", "lbs")  # "500 pounds" may be money or weight


@dataclass(frozen=True, slots=True)
class SentenceContext:
    """The surroundings of a sentence: `context_keys` are the keys of its headings, column heads and preceding
    sentences.

    `source_keys` and `acronyms` are those of the whole source.
    """

    context_keys: frozenset[str] = frozenset()
    source_keys: frozenset[str] = frozenset()
    acronyms: frozenset[str] = frozenset()


def value_differences(gap: Gap, alignment: Alignment) -> Iterator[Difference]:
    counterparts = [token for token in gap.source if token.value]
    for token in gap.statement:
        if not token.value:
            continue
        quantity = token.value.quantity
        if not counterparts and quantity and quantity.weak and quantity.value == 1:
            continue  # "one of them" counts nothing
        if quantity and is_in_words(quantity, _text_around(gap.source, alignment.source)):
            continue
        said = _text_around(gap.statement, alignment.statement)
        if any(
            counterpart.value and counterpart.value.quantity and is_in_words(counterpart.value.quantity, said)
            for counterpart in counterparts
        ):
            continue
        dated = token.value.date is not None
        alike = [
            counterpart
            for counterpart in counterparts
            if counterpart.value and (counterpart.value.date is not None) == dated
        ]
        candidates = [
            counterpart
            for counterpart in alike or counterparts
            if counterpart.value and _measure_alike(token.value, counterpart.value)
        ]
        known = candidates[0] if candidates else None
        known_quantity = known.value.quantity if known and known.value else None
        is_unit = quantity and known_quantity and same_number_other_unit(quantity, known_quantity)
        kind: Kind = "date" if dated else "unit" if is_unit else "number"
        yield Difference(kind, token.text, known.text if known else None)


def _measure_alike(stated: Value, known: Value) -> bool:
    """Return whether two values may be figures of the same measure: "seven hours" and "10:00" are not."""
    quantity, known_quantity = stated.quantity, known.quantity
    if (stated.minutes is None) != (known.minutes is None):
        return False
    if quantity is None or known_quantity is None or same_number_other_unit(quantity, known_quantity):
        return True
    return quantity.unit == known_quantity.unit


def _text_around(some: Sequence[Token], tokens: Sequence[Token]) -> str:
    """Return some tokens of a sentence, and the token before them, as text."""
    if not some:
        return ""
    before = max((token.start for token in tokens if token.start < some[0].start), default=some[0].start)
    return " ".join(token.text for token in tokens if before <= token.start <= some[-1].start)


def unit_differences(alignment: Alignment) -> Iterator[Difference]:
    """Yield pairs of values in which one has a known unit and the other a word in its place: `12 kg`, `12 bottles`."""
    for index, place in alignment.pairs:
        stated, known = alignment.statement[index], alignment.source[place]
        if not stated.value or not known.value or not stated.value.quantity or not known.value.quantity:
            continue
        if bool(stated.value.quantity.unit) == bool(known.value.quantity.unit):
            continue
        is_stated = bool(stated.value.quantity.unit)
        plain, tokens, taken = (
            (place, alignment.source, alignment.matched_source)
            if is_stated
            else (index, alignment.statement, alignment.matched_statement)
        )
        behind = tokens[plain + 1] if plain + 1 < len(tokens) else None
        unit = stated.value.quantity.unit or known.value.quantity.unit
        if behind and behind.key == "pound" and unit in _POUNDS:
            continue
        if behind and behind.is_content and plain + 1 not in taken and not behind.value:
            counted = f"{tokens[plain].text} {behind.text}"
            yield Difference("unit", *((stated.text, counted) if is_stated else (counted, known.text)))


def name_differences(gap: Gap, alignment: Alignment, around: SentenceContext) -> Iterator[Difference]:
    counterparts = [token for token in gap.source if token.is_content and not token.value]
    named = next((token for token in counterparts if token.kind == "name"), None)
    refers = any(token.kind == "pronoun" for token in gap.source) or (
        len(counterparts) == 1 and _may_refer(counterparts[0], alignment)
    )
    for token in gap.statement:
        if token.kind != "name" or _is_short_form(token, counterparts, around):
            continue
        stands_for = refers and not _is_definite(token, alignment.statement)
        known = around.source_keys.issuperset(token.key.split())
        if not named and stands_for and (not known or around.context_keys.issuperset(token.key.split())):
            continue  # "the film" or "it" refers to a name that the source has before it, or omits
        if not named and not counterparts and around.context_keys.issuperset(token.key.split()):
            continue
        counterpart = named or (counterparts[0] if counterparts else None)
        yield Difference(
            "name",
            token.text,
            counterpart.text if counterpart else None,
            sure=alignment.is_close and (bool(named) or (bool(counterparts) and known)),
        )


def _may_refer(token: Token, alignment: Alignment) -> bool:
    """Return whether a noun may refer to a name. A Korean noun may itself be a name that no rule recognises: `춘천에`.

    An English word that opens its sentence without an article may also be a name, unless it is a verb: "Run the
    installer".
    """
    if korean.is_korean(token.text):
        return token.key in korean.GENERIC
    if token.text[:1].islower() or _is_definite(token, alignment.source):
        return True
    at = next(index for index, word in enumerate(alignment.source) if word is token)
    return alignment.source[at + 1].key in _ARTICLES if at + 1 < len(alignment.source) else False


def _is_definite(token: Token, tokens: Sequence[Token]) -> bool:
    """Return whether a word has an article: "the CFO" is a role, and the source may name several."""
    at = next(index for index, word in enumerate(tokens) if word is token)
    return at > 0 and tokens[at - 1].key in _ARTICLES


def _is_short_form(token: Token, counterparts: Sequence[Token], around: SentenceContext) -> bool:
    """Return whether a name and a counterpart are the same: one is an acronym of the other, or its beginning."""
    letters = token.text.casefold() if token.text.isupper() else ""
    begun = "".join(part[:1] for counterpart in counterparts for part in counterpart.key.split())
    if len(letters) > 1 and (letters in begun or letters in around.acronyms):
        return True
    if any(
        same_country(token.key.split(), counterpart.key.split())
        or (_begins(counterpart.text, token.text) and not are_other_kinds(token, counterpart))
        for counterpart in counterparts
    ):
        return True
    own = "".join(part[:1] for part in token.key.split())
    return any(
        len(counterpart.text) > 1 and counterpart.text.isupper() and own.startswith(counterpart.text.casefold())
        for counterpart in counterparts
    )


def _begins(whole: str, part: str) -> bool:
    """Return whether a text begins with a whole part: X1000 does not begin with X100."""
    rest = whole.removeprefix(part)
    return rest != whole and not (part[-1:].isdigit() and rest[:1].isdigit())


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
    denied = [sum(token.cue == "denied" for token in side) % 2 for side in (alignment.statement, alignment.source)]
    for token in gap.statement:
        if token.kind != "word":
            continue
        generic = any(
            counterpart.key in GENERIC and (counterpart.case or counterpart.key not in korean.GENERIC)
            for counterpart in counterparts
        )
        stands_for = generic and token.key in around.context_keys
        opposite = next((counterpart for counterpart in counterparts if are_opposites(token, counterpart)), None)
        if opposite and denied[0] != denied[1]:
            continue  # "not invalid" equals "valid"
        sure = alignment.is_single_substitution
        if opposite:
            yield Difference("negation", token.text, opposite.text, sure=sure)
        elif counterparts and not stands_for and not _is_other_form(token, counterparts):
            kind: Kind = "subject" if sure and token.key in around.source_keys else "wording"
            yield Difference(kind, token.text, counterparts[0].text, sure=sure)
        elif not counterparts and token.key not in around.context_keys:
            yield Difference("wording", token.text, None, sure=False)


def _is_other_form(token: Token, counterparts: Sequence[Token]) -> bool:
    """Return whether a word is another form of a counterpart: `정 선장` for `정해성 선장`, `America` for `US`."""
    if any(same_country([token.text.casefold()], counterpart.text.casefold().split()) for counterpart in counterparts):
        return True
    return (
        len(token.text) == 1
        and token.text >= "가"
        and any(counterpart.text.startswith(token.text) for counterpart in counterparts)
    )
