"""Finds exchanged roles: a statement assigns a role to one person that the source assigns to another (V2).

"The CEO is John Smith. The CFO is Mary Jones." contradicts "Mary Jones is the CEO". Both orders count: "X is the R" and
"the R is X" are one pair.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.facts.kinds import Difference
from domain.text.words import content_stems

_NAME = r"[A-Z][\w'’-]*+(?: (?:(?:de|van|von|der|bin|al) )?[A-Z][\w'’-]*+){0,3}"
_ROLE = r"(?:the|its|their|our|his|her) (?:[\w'’-]++ ){0,3}?[\w'’-]++"
_ENDS = r"(?=[.,;:!?)]|\s(?:and|but|while|whereas|of|in|at|for|since|from|until)\b|\s*$)"
_IS = r"(?:is|was|became|remains)"
_ENGLISH = (
    re.compile(rf"(?P<one>{_NAME}) {_IS} (?P<other>{_ROLE}){_ENDS}"),
    re.compile(rf"(?P<one>(?i:{_ROLE})) {_IS} (?P<other>{_NAME}){_ENDS}"),
    re.compile(rf"(?:and|while|,) (?P<one>{_NAME}),? (?P<other>{_ROLE}){_ENDS}"),
)
_KOREAN = re.compile(
    r"(?P<one>[가-힣A-Z][가-힣\w]{1,11}?)(?:은|는|이|가)\s(?P<other>[가-힣A-Z][가-힣\w]{1,11}?)"
    r"(?:이고|이며|고|며|이다|(?<!보)다|입니다|였다|이었다)(?=[\s.,]|$)"
)
_ARTICLE = re.compile(r"^(?:the|its|their|our|his|her) ", re.IGNORECASE)
_NEAR = 200  # characters between the two places that give the roles
_MOST = 200  # pairs of a source


@dataclass(frozen=True, slots=True)
class RolePair:
    """Two things that a text says are the same, as stems and as written; the pair is at `start` of the text."""

    one: frozenset[str]
    other: frozenset[str]
    written: tuple[str, str]
    start: int

    def partner(self, wanted: frozenset[str]) -> str | None:
        """Return what `wanted` is said to be, as written; None if the pair is not about it."""
        if wanted == self.one:
            return self.written[1]
        return self.written[0] if wanted == self.other else None

    def is_equal(self, other: "RolePair") -> bool:
        return {self.one, self.other} == {other.one, other.other}


def role_pairs(text: str) -> tuple[RolePair, ...]:
    found = list(_find_role_pairs(text))
    return tuple(found[:_MOST])


def _find_role_pairs(text: str) -> Iterator[RolePair]:
    for form in (*_ENGLISH, _KOREAN):
        for match in form.finditer(text):
            one, other = (frozenset(content_stems(match[name])) for name in ("one", "other"))
            if one and other and one != other:
                yield RolePair(one, other, (match["one"], match["other"]), match.start())


def exchanged_roles(statement: str, source: str, known: Sequence[RolePair]) -> Difference | None:
    """Return the difference if the source pairs both parts of a pair of the statement with others, near each other.

    `known` are the pairs of the `source`.
    """
    for stated in role_pairs(statement):
        if any(each.is_equal(stated) for each in known) or _are_beside(stated, source):
            continue
        mine = [each for each in known if each.partner(stated.one)]
        theirs = [each for each in known if each.partner(stated.other)]
        near = any(one is not other and abs(one.start - other.start) <= _NEAR for one in mine for other in theirs)
        if near:
            return Difference("subject", stated.written[0], theirs[0].partner(stated.other))
    return None


def _are_beside(stated: RolePair, source: str) -> bool:
    # "CEO Mary Jones" and "Mary Jones, the CEO".
    one, other = (re.escape(_ARTICLE.sub("", each)) for each in stated.written)
    return re.search(rf"{one},? (?:\w+ )?{other}|{other},? {one}", source, re.IGNORECASE) is not None
