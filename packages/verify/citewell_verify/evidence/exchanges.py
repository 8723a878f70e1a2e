"""Finds two things that a statement exchanged while all other words of the sentence stayed in place (V2)."""

import re
from collections.abc import Sequence

from citewell_verify.facts.differences.parties import is_other_korean_voice
from citewell_verify.facts.kinds import Difference
from citewell_verify.facts.reading.token_alignment import Alignment
from citewell_verify.facts.reading.tokens import Token
from citewell_verify.facts.reading.vocabulary import RELATIONS

_ARTICLES = frozenset(("a", "an", "the"))
_WITHIN_NAMES = _ARTICLES | {"of"}
_COPULA = re.compile("(?:이다|입니다|이며|이고|였다|이었다)$")
_TOGETHER = re.compile("(?:[와과]|랑|하고)$")
_LONGEST = 4  # words of one of the two


def exchange(alignment: Alignment) -> Difference | None:
    """Return two things that changed places, with or without their Korean particles, while all other words stayed."""
    stated, known = alignment.statement, alignment.source
    source_at = dict((*alignment.pairs, *alignment.moved))
    places = [at for at, token in enumerate(stated) if _is_placed(token)]
    if any(at not in source_at for at in places) or is_other_korean_voice(
        (stated[at], known[source_at[at]]) for at in places
    ):
        return None
    cut = left_out_clauses(alignment)
    # What stands before and behind all that the statement says may be left out, too.
    span = range(min(source_at.values(), default=0), max(source_at.values(), default=-1) + 1)
    known_places = [at for at in span if _is_placed(known[at]) and known[at].clause not in cut]
    if sorted(source_at[at] for at in places) != known_places:
        return None
    rank = {at: number for number, at in enumerate(known_places)}
    order = [rank[source_at[at]] for at in places]
    pair = _turned(order) or _turned(_relabelled(order, known_places, known))
    if pair and _are_exchanged(pair, places, alignment):
        is_mutual = any(_preposition(stated, places[run[0]]) == "with" for run in pair)
        return Difference(
            "wording" if is_mutual else "order", _words_at(pair[0], places, stated), _words_at(pair[1], places, stated)
        )
    roles = {
        (role_of(stated[at]), role_of(known[source_at[at]])): (number, at)
        for number, at in zip(order, places, strict=True)
        if stated[at].is_content and stated[at].clause == stated[places[-1]].clause
    }
    for (here, there), (number, at) in roles.items():
        other_number, other_at = roles.get((there, here), (number, at))
        if here == there or other_at == at:
            continue
        # A noun without a particle has a role by its place only; of nouns in a list, none has.
        is_listed = any(stated[noun_at].value or _TOGETHER.search(stated[noun_at].text) for noun_at in (at, other_at))
        if (here and there) or ((number < other_number) is not (at < other_at) and not is_listed):
            return Difference("order", stated[at].text, known[source_at[at]].text)
    return None


def _is_placed(token: Token) -> bool:
    return token.kind not in ("filler", "pronoun") or token.key in RELATIONS


def _turned(order: Sequence[int]) -> tuple[range, range] | None:
    """Return the places of two runs that changed places around others that stayed, in an order of numbers from 0."""
    wrong = [at for at, number in enumerate(order) if at != number]
    if not wrong:
        return None
    first, last = wrong[0], wrong[-1]
    starts = [first, *(at for at in range(first + 1, last + 1) if order[at] != order[at - 1] + 1), last + 1]
    if len(starts) < 4 or order[first] + starts[1] - first != last + 1 or order[starts[-2]] != first:
        return None
    return range(first, starts[1]), range(starts[-2], last + 1)


def _relabelled(order: Sequence[int], known_places: Sequence[int], known: Sequence[Token]) -> Sequence[int]:
    """Return the order with each number that stands for the same word as its place replaced by the place."""
    keys = [known[at].key for at in known_places]
    return [at if keys[number] == keys[at] else number for at, number in enumerate(order)]


def _are_exchanged(pair: tuple[range, range], places: Sequence[int], alignment: Alignment) -> bool:
    source_at = dict((*alignment.pairs, *alignment.moved))
    first, second = ([alignment.statement[places[at]] for at in run] for run in pair)
    if not all(_is_phrase([places[at] for at in run], alignment.statement) for run in pair):
        return False
    if bool(first[-1].value) != bool(second[-1].value) or _is_list(pair, places, alignment.statement):
        return False
    ends = [(alignment.statement[at], alignment.source[source_at[at]]) for at in (places[run[-1]] for run in pair)]
    kept = any(here.case and role_of(here) == role_of(there) for here, there in ends)
    if kept and role_of(ends[0][0]) != role_of(ends[1][0]):
        return False  # the particles moved with their words
    fronts = [_preposition(alignment.statement, places[run[0]]) for run in pair]
    before = [_preposition(alignment.source, source_at[places[run[0]]]) for run in pair]
    return fronts == before[::-1]


def _is_phrase(places: Sequence[int], tokens: Sequence[Token]) -> bool:
    """Say whether the tokens are one noun with what belongs to it."""
    run = tokens[places[0] : places[-1] + 1]
    joined = all(token.is_content or token.key in _WITHIN_NAMES for token in run)
    return joined and len(run) <= _LONGEST and not any(token.case not in ("", "owner") for token in run[:-1])


def _is_list(pair: tuple[range, range], places: Sequence[int], tokens: Sequence[Token]) -> bool:
    ends = {tokens[places[at]].clause for run in pair for at in run}
    between = [tokens[places[at]] for at in range(pair[0][-1] + 1, pair[1][0])]
    return len(ends) > 1 and ends.isdisjoint(token.clause for token in between)


def _preposition(tokens: Sequence[Token], at: int) -> str:
    before = next((token for token in reversed(tokens[:at]) if token.key not in _ARTICLES), None)
    return before.key if before and before.kind == "filler" else ""


def _words_at(run: range, places: Sequence[int], tokens: Sequence[Token]) -> str:
    return " ".join(tokens[places[at]].text for at in run)


def role_of(token: Token) -> str:
    """Return the role that a Korean particle or copula gives to a noun; empty without one."""
    if not token.case and _COPULA.search(token.text):
        return "predicate"
    return "subject" if token.case == "topic" else token.case


def left_out_clauses(alignment: Alignment) -> frozenset[int]:
    """Return the clauses of the source of which the statement has no word."""
    kept = {alignment.source[at].clause for at in alignment.matched_source if alignment.source[at].is_content}
    return frozenset(token.clause for token in alignment.source if token.clause not in kept)
