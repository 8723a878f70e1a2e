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
    counterparts = [each for each in gap.source if each.value]
    for token in gap.statement:
        if not token.value or (not counterparts and _counts_nothing(token.value)):
            continue
        if token.value.quantity and is_in_words(token.value.quantity, _text_around(gap.source, alignment.source)):
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
        candidates = [each for each in alike or counterparts if each.value and _measure_alike(token.value, each.value)]
        known = candidates[0] if candidates else None
        yield Difference(_value_kind(token, known), token.text, known.text if known else None)


def _measure_alike(one: Value, other: Value) -> bool:
    # "seven hours" is no other figure for "10:00".
    mine, theirs = one.quantity, other.quantity
    if (one.minutes is None) != (other.minutes is None):
        return False
    if mine is None or theirs is None or same_number_other_unit(mine, theirs):
        return True
    return mine.unit == theirs.unit


def _counts_nothing(value: Value) -> bool:
    # As in "one of them".
    return value.quantity is not None and value.quantity.weak and value.quantity.value == 1


def _text_around(some: Sequence[Token], tokens: Sequence[Token]) -> str:
    """Return some tokens of a sentence, and the one before them, as text."""
    if not some:
        return ""
    before = max((token.start for token in tokens if token.start < some[0].start), default=some[0].start)
    return " ".join(token.text for token in tokens if before <= token.start <= some[-1].start)


def _value_kind(token: Token, known: Token | None) -> Kind:
    if token.value and token.value.date:
        return "date"
    one, other = (token.value and token.value.quantity), (known and known.value and known.value.quantity)
    return "unit" if one and other and same_number_other_unit(one, other) else "number"


def unit_differences(alignment: Alignment) -> Iterator[Difference]:
    # `78 USD` for `78 CAD`, of which only one is known.
    for mine, theirs in alignment.pairs:
        one, other = alignment.statement[mine], alignment.source[theirs]
        if not one.value or not other.value or not one.value.quantity or not other.value.quantity:
            continue
        if bool(one.value.quantity.unit) == bool(other.value.quantity.unit):
            continue
        plain, tokens, taken = (
            (theirs, alignment.source, alignment.matched_source)
            if one.value.quantity.unit
            else (mine, alignment.statement, alignment.matched_statement)
        )
        behind = tokens[plain + 1] if plain + 1 < len(tokens) else None
        measured = other if one.value.quantity.unit == "" else one
        known = measured.value and measured.value.quantity
        if behind and behind.key == "pound" and known and known.unit in _POUNDS:
            continue
        if behind and behind.is_content and plain + 1 not in taken and not behind.value:
            yield Difference("unit", one.text, f"{other.text} {behind.text}" if plain == theirs else other.text)


def name_differences(gap: Gap, alignment: Alignment, around: SentenceContext) -> Iterator[Difference]:
    counterparts = [each for each in gap.source if each.is_content and not each.value]
    named = next((each for each in counterparts if each.kind == "name"), None)
    refers = any(each.kind == "pronoun" for each in gap.source) or (
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
    at = next(index for index, each in enumerate(alignment.source) if each is token)
    return alignment.source[at + 1].key in _ARTICLES if at + 1 < len(alignment.source) else False


def _is_definite(token: Token, tokens: Sequence[Token]) -> bool:
    # "the CFO" is a role, and the source may name several.
    at = next(index for index, each in enumerate(tokens) if each is token)
    return at > 0 and tokens[at - 1].key in _ARTICLES


def _is_short_form(token: Token, counterparts: Sequence[Token], around: SentenceContext) -> bool:
    # Either of the two is an acronym of the other.
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
    # X1000 does not begin with X100.
    rest = whole.removeprefix(part)
    return rest != whole and not (part[-1:].isdigit() and rest[:1].isdigit())
