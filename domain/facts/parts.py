"""Values of one part of a coordinated sentence that a statement gives to the subject of another part (V2).

"Honey contains 80 percent sugar, maple syrup 67" does not say that maple syrup contains 80: the statement's value and
its subject stand in different parts of the sentence, the part of the value has a subject of its own, and the part of
the subject has a value of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.facts.aligning import Alignment, same
from domain.facts.tokens import Token

_MOST_LEADING = 3  # words in front of what a part shares with the statement: the part's own subject
_VERBAL = ("ed", "ing")


@dataclass(frozen=True, slots=True)
class Crossed:
    """`value` belongs to `owner` in the source, and `subject` has `known` there."""

    value: str
    subject: str
    owner: str
    known: str


def crossed(alignment: Alignment) -> Iterator[Crossed]:
    """Yield each value of a statement of one part that stands beside the subject of another part."""
    if len({each.part for each in alignment.statement}) > 1:
        return
    rest = [each for at, each in enumerate(alignment.source) if at not in alignment.met]
    known = [alignment.source[at] for at in sorted(alignment.met) if _is_in_one_part(alignment.source[at], alignment)]
    for value in (each for each in known if each.value):
        if owner := _owner(value, alignment):
            yield from _of_others(value, owner, known, rest)


def _of_others(value: Token, owner: Token, known: Sequence[Token], rest: Sequence[Token]) -> Iterator[Crossed]:
    """The first token of the statement that another part has, where this part has a value of the same kind."""
    for subject in known:
        rival = next((each for each in rest if each.part == subject.part and _are_alike(each, value)), None)
        if _can_own(subject) and subject.part != value.part and rival and bool(subject.value) == bool(owner.value):
            yield Crossed(value.text, subject.text, owner.text, rival.text)
            return


def _can_own(token: Token) -> bool:
    """A Korean sentence ends in its verb."""
    return token.matters and not token.text.endswith("다")


def _is_in_one_part(token: Token, alignment: Alignment) -> bool:
    return len({each.part for each in alignment.source if same(each, token)}) == 1


def _owner(value: Token, alignment: Alignment) -> Token | None:
    """What stands in front of the first word that the part of `value` shares with the statement: its own subject."""
    leading: list[Token] = []
    for at, token in enumerate(alignment.source):
        if token.part == value.part and token.matters:
            if at in alignment.met and not token.case:
                break
            if at not in alignment.met:
                leading.append(token)
    return next((each for each in leading[:_MOST_LEADING] if not each.text.endswith(_VERBAL)), None)


def _are_alike(one: Token, other: Token) -> bool:
    """Say whether both are dates, or both quantities of the same; one may leave out of what, as in "80 tonnes, 120"."""
    if not (one.value and other.value) or bool(one.value.date) != bool(other.value.date):
        return False
    mine, theirs = one.value.quantity, other.value.quantity
    if mine is None or theirs is None:
        return True
    if mine.weak and theirs.weak != mine.weak:
        return False
    bare = not (mine.unit or mine.nouns) or not (theirs.unit or theirs.nouns)
    return bare or (mine.unit == theirs.unit if mine.unit or theirs.unit else bool(mine.nouns & theirs.nouns))
