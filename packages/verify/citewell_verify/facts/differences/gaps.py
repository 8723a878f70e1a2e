"""Differences of values, units and names in one place of an alignment, which the two sentences fill otherwise (V2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citewell_verify.entities.derived_figures import is_in_words
from citewell_verify.entities.names import same_country
from citewell_verify.facts.kinds import Difference, Kind
from citewell_verify.facts.reading import korean
from citewell_verify.facts.reading.token_alignment import Alignment, Gap, are_other_kinds
from citewell_verify.facts.reading.tokens import Token, Value
from citewell_verify.facts.reading.values import same_number_other_unit

_ARTICLES = ("the", "a", "an")
_POUNDS = ("£", "gbp", "파운드", "lb", "lbs")  # "500 pounds" may be money or weight


@dataclass(frozen=True, slots=True)
class SentenceContext:
    """What surrounds a sentence: `context_keys` of its headings, column heads and preceding sentences.

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
    """Return whether one value may be another figure for the other: "seven hours" is none for "10:00"."""
    quantity, known_quantity = stated.quantity, known.quantity
    if (stated.minutes is None) != (known.minutes is None):
        return False
    if quantity is None or known_quantity is None or same_number_other_unit(quantity, known_quantity):
        return True
    return quantity.unit == known_quantity.unit


def _text_around(some: Sequence[Token], tokens: Sequence[Token]) -> str:
    """Return some tokens of a sentence, and the one before them, as text."""
    if not some:
        return ""
    before = max((token.start for token in tokens if token.start < some[0].start), default=some[0].start)
    return " ".join(token.text for token in tokens if before <= token.start <= some[-1].start)


def unit_differences(alignment: Alignment) -> Iterator[Difference]:
    """Yield values of which only one has a known unit, the other a word in its place: `12 kg` for `12 bottles`."""
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
            continue  # "the film", "it": refers to a name that the source has before it, or omits
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
    """Say whether a noun may refer to a name; a Korean noun may itself be a name that no rule recognises: `춘천에`.

    So may an English word that opens its sentence without an article, unless it is a verb: "Run the installer".
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
    """Return whether a name and a counterpart are one: an acronym of the other, or its beginning."""
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
    """Return whether a text begins with a part as a whole: X1000 does not begin with X100."""
    rest = whole.removeprefix(part)
    return rest != whole and not (part[-1:].isdigit() and rest[:1].isdigit())
