"""Tests whether the pronoun with which a place begins refers to the subject of a statement (V2).

"Lyon is a city. It has 520,000 people. Lille is a city. It has 235,000." says nothing of Lyon's 235,000: a pronoun
refers to the subject of the sentence before it, and so does 이 공장은 to the plant named there.
"""

import re
from collections.abc import Collection, Sequence

from domain.facts.reading.token_alignment import tokens_match
from domain.facts.reading.tokens import Token, tokenize
from domain.facts.reading.vocabulary import GENERIC
from domain.facts.structure.terms import CLASSES

_FARTHEST = 6  # clauses before a pronoun, where its antecedent may be
_REFERRING = re.compile(
    r"\W*(?:(?:in|on|at|by|since|after|before|during|from|until)\s[^,.]{1,30}?,?\s)?"
    r"(?:it|he|she|they|its|his|her|their)\b"
    r"|\W*(?:[^\s,]{1,12}에\s)?(?:그는|그가|그녀는|그녀가|그들은|이곳은|그곳은|이들은|이는|(?:이|그|해당)\s[가-힣]{1,8}[은는이가의]\s)",
    re.IGNORECASE,
)


_VERBAL = re.compile(
    r"(?:is|are|was|were|has|have|had|does|did|do|will|would|can|could|may|might|must|should|shall|[a-z]{2,}ed|[a-z]{2,}s"
    r"|began|bought|built|came|fell|found|gave|got|grew|held|kept|knew|led|left|lost|made|met|paid|ran|rose|said|saw"
    r"|sent|sold|spent|stood|took|told|taught|went|won|wrote|cut|put|set|let|hit)"
)


_OWNED = re.compile(r"\W*(?:its|his|her|their)\b", re.IGNORECASE)


def refers(place: str) -> bool:
    """Say whether a place begins with a pronoun, or with 이 공장은, behind at most a date."""
    return _REFERRING.match(place) is not None


def has_antecedent(before: Sequence[str], place: str) -> bool:
    """Say whether the subject of `place` is a pronoun, and a clause `before` it begins with something else.

    "Her colleague" is not she.
    """
    return _OWNED.match(place) is None and not all(map(refers, before[:_FARTHEST]))


def other_antecedent(
    statement: Sequence[Token], before: Sequence[str], place: str, known: Collection[str]
) -> Token | None:
    """Return the subject that the pronoun of `place` refers to, if the statement is about another one.

    `before` are the clauses in front of the place, nearest first, and `known` the keys of the source. Both must name
    something that the other does not.
    """
    antecedent = next((each for each in before[:_FARTHEST] if not refers(each)), "")
    meant, stated = _named(tokenize(antecedent)), _named(statement)
    here = [each for each in tokenize(place) if each.is_content]
    own = [each for each in stated if not _has(meant, each) and not _has(here, each)]
    if all(each.key not in known for each in own):
        return None
    return next((each for each in meant if not _has(stated, each) and not _has(here, each)), None)


def _named(tokens: Sequence[Token]) -> Sequence[Token]:
    if any(each.case for each in tokens):
        last = next((at for at, each in enumerate(tokens) if each.case in ("subject", "topic")), -1)
        subject = tokens[: last + 1]
    else:
        verb = next((at for at, each in enumerate(tokens) if at and _VERBAL.fullmatch(each.text)), 0)
        subject = tokens[:verb]
    return [each for each in subject if each.kind in ("name", "word") and each.key not in _UNNAMED and not each.clause]


_UNNAMED = CLASSES | GENERIC


def _has(tokens: Sequence[Token], wanted: Token) -> bool:
    return any(tokens_match(wanted, each) for each in tokens)
