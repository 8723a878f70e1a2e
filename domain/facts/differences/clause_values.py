"""Finds values that a sentence gives to one predicate of its subject and the statement to another (V2).

"The battery lasts 12 hours and takes two hours to charge" does not say that it takes 12 hours to charge: the value is in
the clause of another verb, and the clause of the statement's verb has a value of its own.
"""

from collections.abc import Iterator

from domain.facts.differences.misattribution import are_alike
from domain.facts.kinds import Difference
from domain.facts.reading.token_alignment import Alignment


def values_of_other_predicates(alignment: Alignment) -> Iterator[Difference]:
    """Yield each value of the statement whose clause in the source has a verb that the statement omits, while the verb
    of the statement has another value there."""
    if len({each.clause for each in alignment.source}) < 2:  # noqa: PLR2004 - one clause has one predicate
        return
    pairs = sorted((*alignment.pairs, *alignment.moved))
    for mine, theirs in pairs:
        value = alignment.source[theirs]
        if not value.value or _has_its_predicate(alignment, value.clause):
            continue
        for _, other in pairs:
            said = alignment.source[other]
            if said.kind != "word" or said.clause == value.clause or said.start < value.start:
                continue
            own = next(
                (
                    each
                    for at, each in enumerate(alignment.source)
                    if at not in alignment.matched_source and each.clause == said.clause and are_alike(each, value)
                ),
                None,
            )
            if own:
                yield Difference("number", alignment.statement[mine].text, own.text)
                return


def _has_its_predicate(alignment: Alignment, clause: int) -> bool:
    """Say whether the statement has the last word of a clause in front of its value, its verb or what it measures."""
    before: list[int] = []
    for at, each in enumerate(alignment.source):
        if each.clause != clause:
            continue
        if each.value:
            break
        if each.kind == "word":
            before.append(at)
    return not before or before[-1] in alignment.matched_source
