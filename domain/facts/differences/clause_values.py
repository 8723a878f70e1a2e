"""Finds values that a sentence gives to one predicate of its subject and the statement to another (V2).

"The battery lasts 12 hours and takes two hours to charge" does not say that it takes 12 hours to charge: nothing beside
the 12 hours is in the statement, and what is beside the two hours is. So with "4 metres long and 3 metres wide".
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from domain.facts.differences.misattribution import are_alike, is_in_turn
from domain.facts.differences.opposites import are_opposites
from domain.facts.kinds import Difference
from domain.facts.reading.token_alignment import Alignment
from domain.facts.reading.tokens import Token


def values_of_other_predicates(alignment: Alignment) -> Iterator[Difference]:
    """Yield each value of the statement that stands beside other words in the source, where a value of the same kind
    stands beside the words of the statement."""
    known = alignment.source
    if is_in_turn(known):
        return
    if joined := opposites_of_clauses(alignment):
        yield Difference("negation", joined[0].text, joined[1].text)
        return
    left = [at for at, each in enumerate(known) if each.value and at not in alignment.matched_source]
    for mine, theirs in sorted((*alignment.pairs, *alignment.moved)):
        value = known[theirs]
        if value.value and (other := _opposite_in_clause(value, alignment)):
            yield Difference("negation", other[0].text, other[1].text)
            return
        if not value.value or _has_neighbour(theirs, alignment):
            continue
        for at in left:
            if known[at].clause != value.clause and are_alike(value, known[at]) and _has_neighbour(at, alignment):
                yield Difference("number", alignment.statement[mine].text, known[at].text)
                return


def _opposite_in_clause(value: Token, alignment: Alignment) -> tuple[Token, Token] | None:
    """Return a word of the statement and its opposite in the value's clause: of "the first leaves at 5:40 and the last
    at 22:10", the last does not leave at 5:40."""
    known, matched = alignment.source, alignment.matched_source
    for at in sorted(matched):
        if known[at].clause == value.clause or not known[at].is_content:
            continue
        for place, other in enumerate(known):
            if place not in matched and other.clause == value.clause and are_opposites(known[at], other):
                return known[at], other
    return None


def opposites_of_clauses(alignment: Alignment) -> tuple[Token, Token] | None:
    """Return a word of one clause whose opposite a later clause has for its own subject, which the statement has.

    Of "the common side effects are headache and nausea; a rash is rare", a rash is not common.
    """
    known, matched = alignment.source, alignment.matched_source
    if len({each.clause for each in known}) < 2 or len({each.clause for each in alignment.statement}) > 1:
        return None
    own = _clauses_of_stated_subjects(alignment)
    for at in sorted(matched) if own else ():
        for place, other in enumerate(known):
            is_beside = place not in matched and other.clause in own and other.clause != known[at].clause
            if is_beside and other.kind == known[at].kind == "word" and are_opposites(known[at], other):
                return known[at], other
    return None


def _clauses_of_stated_subjects(alignment: Alignment) -> Collection[int]:
    first: dict[int, int] = {}
    for at, each in enumerate(alignment.source):
        if each.is_content:
            first.setdefault(each.clause, at)
    return [clause for clause, at in islice(first.items(), 1, None) if at in alignment.matched_source]


def _has_neighbour(at: int, alignment: Alignment) -> bool:
    tokens, matched = alignment.source, alignment.matched_source
    beside = (_next_content(tokens, at, step) for step in (-1, 1))
    return any(each in matched for each in beside if each is not None)


def _next_content(tokens: Sequence[Token], at: int, step: int) -> int | None:
    places = range(at + step, len(tokens) if step > 0 else -1, step)
    same = (place for place in places if tokens[place].clause == tokens[at].clause)
    return next((place for place in same if tokens[place].is_content), None)
