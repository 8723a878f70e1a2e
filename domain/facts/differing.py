"""What a statement asserts otherwise than one sentence of its source that otherwise says the same (V2, V3)."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from domain.facts import korean
from domain.facts.aligning import Alignment, Gap, akin
from domain.facts.parts import crossed
from domain.facts.tokens import Token, Value
from domain.facts.values import agree, describes_same_unit
from domain.facts.vocabulary import BOUNDS, GENERIC, OPPOSITES, PREFIXES, QUANTIFIERS
from domain.words import stem

Kind = Literal[
    "number", "date", "unit", "name", "negation", "order", "modality", "attribution", "quantifier", "subject", "wording"
]

_INSERTED = frozenset({"denied", "possible", "planned", "reported", "obliged", "advised", "all", "most", "few", "only", "over", "under"})
_OMITTED = frozenset({"denied", "possible", "planned", "reported", "some", "most", "few"})
_KINDS: dict[str, Kind] = {
    "denied": "negation",
    "possible": "modality",
    "planned": "modality",
    "obliged": "modality",
    "advised": "modality",
    "reported": "attribution",
    "over": "number",
    "under": "number",
    "before": "order",
    "after": "order",
}
_WIDEST = 4  # tokens of the source that may stand where the statement has something else
_CLOSE = 3  # tokens between a cue and what it is about
_VERY_ALIKE = 0.9  # of two sentences, for the order of common words to mean something
_MOST_MOVED = 5  # tokens that an exchange moves; where more are moved, clauses changed places
_PARTICIPLE = re.compile(r"(?:ed|en|wn|ne|ght|ld|nd|de|un|ng|t)$")
_FRAMES = frozenset({"according", "contends"})
"""Cues that say who asserts it: to name somebody makes a statement weaker, not wrong."""
_LIST_WORDS = frozenset("and or 및 와 과".split())
_AUXILIARY = frozenset("is are was were be been being".split())


@dataclass(frozen=True, slots=True)
class Difference:
    """`stated` is what the statement says, `known` what the source says there; None where it says nothing.

    Not `sure`: other words that may mean the same, so the statement is not disproved, only unproven.
    """

    kind: Kind
    stated: str
    known: str | None
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What belongs to a sentence besides its own words.

    `context` are keys of its headings, column heads and the sentences before it, `values` those of its neighbours;
    `elsewhere` are all keys and `initials` the acronyms of the source.
    """

    context: frozenset[str] = frozenset()
    elsewhere: frozenset[str] = frozenset()
    initials: frozenset[str] = frozenset()
    values: Sequence[Value] = ()


def differences(alignment: Alignment, around: Surroundings) -> list[Difference]:
    """Return what the statement says otherwise, in its order. Empty: the sentence says all of it."""
    found: list[Difference] = []
    moved = {mine for mine, _ in alignment.moved}, {theirs for _, theirs in alignment.moved}
    stated_at = {id(token): index for index, token in enumerate(alignment.statement)}
    known_at = {id(token): index for index, token in enumerate(alignment.source)}
    for gap in alignment.gaps:
        left = Gap(
            tuple(each for each in gap.stated if stated_at[id(each)] not in moved[0]),
            tuple(each for each in _beside(gap, alignment) if known_at[id(each)] not in moved[1]),
        )
        found += _values(left, around)
        found += _cues(left, alignment)
        found += _names(left, alignment, around)
        found += _words(left, alignment, around)
    return [*found, *_units(alignment), *_order(alignment), *_cases(alignment), *_of_other_parts(alignment)]


def _of_other_parts(alignment: Alignment) -> Iterator[Difference]:
    """A value that the source gives to the subject of another part of the sentence."""
    for each in crossed(alignment):
        yield Difference("number", each.value, each.known)


def _beside(gap: Gap, alignment: Alignment) -> Sequence[Token]:
    """What may stand for the statement's words in a gap: of what precedes or follows all of them only what is near."""
    if len(gap.known) <= _WIDEST or not gap.stated:
        return gap.known
    if gap.known[0] is alignment.source[0]:
        return gap.known[-_WIDEST:]
    return gap.known[:_WIDEST] if gap.known[-1] is alignment.source[-1] else gap.known


def _values(gap: Gap, around: Surroundings) -> Iterator[Difference]:
    rivals = [each for each in gap.known if each.value]
    for token in gap.stated:
        if not token.value or (not rivals and _is_told(token.value, around)):
            continue
        dated = token.value.date is not None
        alike = [each for each in rivals if each.value and (each.value.date is not None) == dated]
        known = alike[0] if alike else rivals[0] if rivals else None
        yield Difference(_value_kind(token, known), token.text, known.text if known else None)


def _is_told(value: Value, around: Surroundings) -> bool:
    """Say whether a neighbouring sentence has the value, or it counts nothing, as in "one of them"."""
    counts_nothing = value.quantity is not None and value.quantity.weak and value.quantity.value == 1
    return counts_nothing or any(agree(value, each) for each in around.values)


def _value_kind(token: Token, known: Token | None) -> Kind:
    if token.value and token.value.date:
        return "date"
    one, other = (token.value and token.value.quantity), (known and known.value and known.value.quantity)
    return "unit" if one and other and describes_same_unit(one, other) else "number"


def _units(alignment: Alignment) -> Iterator[Difference]:
    """The same figure of something else: `78 USD` for `78 CAD`, where just one of the units is a known one."""
    for mine, theirs in alignment.pairs:
        one, other = alignment.statement[mine], alignment.source[theirs]
        if not one.value or not other.value or not one.value.quantity or not other.value.quantity:
            continue
        if bool(one.value.quantity.unit) == bool(other.value.quantity.unit):
            continue
        plain, tokens, taken = (
            (theirs, alignment.source, alignment.met) if one.value.quantity.unit else (mine, alignment.statement, alignment.matched)
        )
        behind = tokens[plain + 1] if plain + 1 < len(tokens) else None
        if behind and behind.matters and plain + 1 not in taken and not behind.value:
            yield Difference("unit", one.text, f"{other.text} {behind.text}" if plain == theirs else other.text)


def _cues(gap: Gap, alignment: Alignment) -> Iterator[Difference]:
    stated = [each for each in gap.stated if each.cue]
    known = [each for each in gap.known if each.cue]
    for token in stated:
        rival = next((each for each in known if _exclude(token.cue, each.cue)), None)
        if rival:
            yield Difference(_kind(token.cue), token.text, rival.text)
        elif token.cue in _INSERTED and token.key not in _FRAMES and _is_alone(token, alignment.source, alignment.statement, alignment.matched):
            yield Difference(_kind(token.cue), token.text, None, sure=alignment.is_tight or token.cue not in QUANTIFIERS)
    for token in known:
        exchanged = any(_exclude(token.cue, each.cue) for each in stated)
        if exchanged or token.cue not in _OMITTED:
            continue
        if _is_alone(token, alignment.statement, alignment.source, alignment.met):
            stated_at_cue = _next_word(token, alignment) or token.text
            sure = alignment.is_tight or token.cue not in QUANTIFIERS
            yield Difference(_kind(token.cue), stated_at_cue, token.text, sure=sure)


def _kind(cue: str) -> Kind:
    return "quantifier" if cue in QUANTIFIERS else _KINDS.get(cue, "wording")


def _exclude(one: str, other: str) -> bool:
    if one == other:
        return False
    both = frozenset({one, other})
    return both <= BOUNDS or both <= QUANTIFIERS or both <= {"possible", "planned", "obliged", "advised", "reported", "denied"}


def _is_alone(cue: Token, others: Sequence[Token], own: Sequence[Token], matched: Collection[int]) -> bool:
    """Say whether a cue changes what is told: it is about words that both have, and nothing else makes up for it."""
    if cue.cue == "denied":
        odd = sum(each.cue == "denied" for each in own) % 2 != sum(each.cue == "denied" for each in others) % 2
        return odd and _governs(cue, own, matched)
    made_up = any(each.cue == cue.cue or (cue.cue == "possible" and each.key == "can") for each in others)
    return not made_up and _governs(cue, own, matched)


def _governs(cue: Token, tokens: Sequence[Token], matched: Collection[int]) -> bool:
    """Say whether what the cue is about is there in the other sentence: one of the next words of its clause, or before."""
    at = next(index for index, each in enumerate(tokens) if each is cue)
    korean = cue.key == cue.cue and cue.text[:1] >= "가"
    opens = not any(each.matters for each in tokens[:at])
    ahead = [i for i in range(at + 1, len(tokens)) if tokens[i].matters and (opens or tokens[i].part == cue.part)][:_CLOSE]
    behind = [i for i in range(at - 1, -1, -1) if tokens[i].matters and tokens[i].part == cue.part][:_CLOSE]
    if cue.key == "according" and not ahead:
        return False
    if cue.cue in ("over", "under"):
        return any(tokens[i].value and i in matched for i in (at - 1, at + 1) if 0 <= i < len(tokens))
    near = (behind[:2] or ahead[:1]) if korean and cue.cue not in QUANTIFIERS else (ahead or behind)[:2]
    return any(index in matched for index in near)


def _next_word(cue: Token, alignment: Alignment) -> str | None:
    at = next(index for index, each in enumerate(alignment.source) if each is cue)
    to_mine = {theirs: mine for mine, theirs in (*alignment.pairs, *alignment.moved)}
    places = (*range(at + 1, len(alignment.source)), *range(at - 1, -1, -1))
    near = (alignment.statement[to_mine[i]].text for i in places if i in to_mine and alignment.source[i].matters)
    return next(near, None)


def _names(gap: Gap, alignment: Alignment, around: Surroundings) -> Iterator[Difference]:
    rivals = [each for each in gap.known if each.matters and not each.value]
    named = next((each for each in rivals if each.kind == "name"), None)
    refers = any(each.kind == "pronoun" for each in gap.known) or len(rivals) == 1
    for token in gap.stated:
        if token.kind != "name" or _is_short_form(token, rivals, around):
            continue
        stands_for = refers and not _is_definite(token, alignment.statement)
        known = around.elsewhere.issuperset(token.key.split())
        if not named and stands_for and (not known or around.context.issuperset(token.key.split())):
            continue  # "the film", "it": what stands for a name that the source has in front of it, or leaves out
        if not named and not rivals and around.context.issuperset(token.key.split()):
            continue
        rival = named or (rivals[0] if rivals else None)
        yield Difference("name", token.text, rival.text if rival else None, sure=alignment.is_tight and (bool(named) or (bool(rivals) and known)))


def _is_definite(token: Token, tokens: Sequence[Token]) -> bool:
    """Say whether an article stands before it: "the CFO" is a role, of which the source may name several."""
    at = next(index for index, each in enumerate(tokens) if each is token)
    return at > 0 and tokens[at - 1].key in ("the", "a", "an")


def _is_short_form(token: Token, rivals: Sequence[Token], around: Surroundings) -> bool:
    """An acronym of what stands there, or the words of which an acronym stands there."""
    letters = token.text.casefold() if token.text.isupper() else ""
    begun = "".join(part[:1] for each in rivals for part in each.key.split())
    if len(letters) > 1 and (letters in begun or letters in around.initials):
        return True
    own = "".join(part[:1] for part in token.key.split())
    return any(len(each.text) > 1 and each.text.isupper() and own.startswith(each.text.casefold()) for each in rivals)


def _words(gap: Gap, alignment: Alignment, around: Surroundings) -> Iterator[Difference]:
    rivals = [each for each in gap.known if each.kind in ("word", "name")]
    for token in gap.stated:
        if token.kind != "word":
            continue
        stands_for = any(each.key in GENERIC for each in rivals) and token.key in around.context
        denied = next((each for each in rivals if _deny(token, each)), None)
        if denied:
            yield Difference("negation", token.text, denied.text)
        elif rivals and not stands_for:
            exchanged = token.key in around.elsewhere and alignment.exchanges == 1 and alignment.is_tight
            kind: Kind = "subject" if exchanged else "wording"
            yield Difference(kind, token.text, rivals[0].text, sure=exchanged or alignment.is_one_exchange)
        elif not rivals and token.key not in around.context:
            yield Difference("wording", token.text, None, sure=False)


def _deny(one: Token, other: Token) -> bool:
    stems = [stem(each.text.casefold()) for each in (one, other)]
    if frozenset(stems) in OPPOSITES:
        return True
    shorter, longer = sorted(stems, key=len)
    if longer[:1] >= "가":
        return any(longer == prefix + shorter for prefix in korean.PREFIXES) or (
            longer[:1] in korean.PREFIXES and shorter[:1] == "유" and longer[1:] == shorter[1:]
        )
    return len(shorter) > 3 and any(longer == prefix + shorter for prefix in PREFIXES)


def _order(alignment: Alignment) -> Iterator[Difference]:
    """Two things exchanged around a third that both sentences have between them: `Bob hired Alice` (V2)."""
    both = sorted((*alignment.pairs, *alignment.moved))
    voice = _exchanged_voice(alignment)
    if not alignment.moved:
        if voice and len(both) > 2:
            yield _turned(alignment, both[0])
        return
    loose = voice or len(alignment.moved) > _MOST_MOVED or not alignment.is_tight
    turned = None if loose else _reversed(alignment, both)
    if turned:
        yield _turned(alignment, turned)


def _turned(alignment: Alignment, pair: tuple[int, int]) -> Difference:
    mine, theirs = pair
    return Difference("order", alignment.statement[mine].text, alignment.source[theirs].text)


def _reversed(alignment: Alignment, both: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """The first of three tokens that stand the other way round, whose ends are names or values, or all words alike."""
    alike = alignment.likeness >= _VERY_ALIKE
    ends = [_is_end(alignment.statement[mine], alignment.source[theirs], alike=alike) for mine, theirs in both]
    highest = -1  # the index, among tokens before, of the end that stands last in the source
    middles: list[tuple[int, int]] = []  # (its place in the source, the end before it) of tokens below an earlier end
    for at, (_, theirs) in enumerate(both):
        first = next((end for place, end in middles if theirs < place), None) if ends[at] else None
        if first is not None and not _is_listed(alignment.source[theirs : both[first][1] + 1]):
            return both[first]
        if highest >= 0 and theirs < both[highest][1]:
            middles.append((theirs, highest))
        if ends[at] and (highest < 0 or theirs > both[highest][1]):
            highest = at
    return None


def _is_end(one: Token, other: Token, *, alike: bool) -> bool:
    """Names and values stand for themselves; other words only in sentences that are the same but for their order."""
    if one.kind in ("name", "value") or not alike or one.kind != "word":
        return one.kind in ("name", "value")
    korean = "가" <= one.text[-1] <= "힣"
    return not korean or (one.case == other.case and one.case in ("subject", "topic", "object"))


def _is_listed(tokens: Sequence[Token]) -> bool:
    """Say whether these are members of one list, whose order says nothing."""
    kinds = {each.kind for each in tokens if each.key not in _LIST_WORDS}
    return len(kinds) == 1 and "word" not in kinds


def _exchanged_voice(alignment: Alignment) -> bool:
    """Say whether just one of the two sentences is passive, about a verb that both have."""
    here, there = (_passive(tokens) for tokens in (alignment.statement, alignment.source))
    if bool(here) == bool(there):
        return False
    verb = here or there
    others = alignment.source if here else alignment.statement
    if any(each.key == "by" for each in others):
        return False
    return any(each.matters and akin_or_same(each.key, verb) for each in others)


def akin_or_same(one: str, other: str) -> bool:
    """Say whether two stems are one word or forms of one."""
    return one == other or akin(one, other)


def _passive(tokens: Sequence[Token]) -> str:
    """The stem of the verb of a passive sentence that names who did it; empty for any other."""
    for at, token in enumerate(tokens):
        if token.key not in _AUXILIARY:
            continue
        verb = next((place for place in (at + 1, at + 2) if place < len(tokens) and tokens[place].matters), None)
        if verb and _PARTICIPLE.search(tokens[verb].text) and any(each.key == "by" for each in tokens[verb + 1 : verb + 5]):
            return tokens[verb].key
    return ""


def _cases(alignment: Alignment) -> Iterator[Difference]:
    """Korean roles by their particles: two that were exchanged, whatever the order of the words."""
    both = [(alignment.statement[mine], alignment.source[theirs]) for mine, theirs in (*alignment.pairs, *alignment.moved)]
    if not any(one.case for one, _ in both):
        return
    changed = [(one, other, _role(one), _role(other)) for one, other in both if one.matters and not one.value]
    roles = {(here, there) for _, _, here, there in changed if here != there}
    alike = alignment.likeness >= _VERY_ALIKE
    for one, other, here, there in changed:
        if (there, here) in roles and here != there and (alike or "bare" not in (here, there)):
            yield Difference("order", one.text, other.text)
            return


def _role(token: Token) -> str:
    """The role that a particle gives; a noun without one stands for itself, as in `송다은 다음에`."""
    return "subject" if token.case == "topic" else token.case or "bare"
