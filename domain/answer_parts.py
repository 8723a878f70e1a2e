"""An answer in parts: what is asked of a few sentences has a short reply, and all parts are asked at once (S1.4, S2.1).

The replies are joined in the order of the parts, so the result is the table that one call about the whole would give.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from domain.batches import batches
from domain.citations import Statement, same_words, statements

MOST_PARTS = 8
"""Each part pays for the sources anew: of a long answer the parts get longer instead of more."""

_BEFORE = 3
_HEADING = re.compile(r"[ \t]*(?:#{1,6}[ \t]|(?P<bold>\*\*|__)[^*_\n]{1,80}(?<![.!。])(?P=bold):?[ \t]*(?:\n|$))")
_LEAD_IN = re.compile(r"[:：][*_]*$")


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """The sentences `indexes`, their words as paragraphs, and the words that stand `before` the first of them.

    A heading between them is in `text` too, and what the first of them stands under is in `before` however far back it
    is: "Population: 84 million" would else be read under the heading of another country, or under none.
    """

    indexes: tuple[int, ...]
    text: str
    before: str


def answer_parts(answer: str, most: int) -> list[AnswerPart]:
    """Return the claims of `answer` in parts of at most `most` sentences, more only if there were too many parts.

    Empty when it is one part anyway, or `most` is 0: then the answer is asked about as a whole.
    """
    said = _placed(answer)
    claims = _claims(said)
    size = max(most, -(-len(claims) // MOST_PARTS))
    if not most or len(claims) <= size:
        return []
    return [_part(said, group) for group in batches(claims, size)]


def fact_parts(answer: str, most_facts: int, per_call: int) -> list[tuple[AnswerPart, int]]:
    """Return `answer` in parts, each with how many key claims it may have: at most `per_call`, and `most_facts` in all.

    Empty when it is one part anyway, or `per_call` is 0.
    """
    said = _placed(answer)
    claims = _claims(said)
    quotas = [len(each) for each in batches(range(min(most_facts, len(claims))), per_call or most_facts)]
    if len(quotas) < 2:
        return []
    shares = (claims[len(claims) * n // len(quotas) : len(claims) * (n + 1) // len(quotas)] for n in range(len(quotas)))
    return [(_part(said, share), quota) for share, quota in zip(shares, quotas, strict=True)]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A statement and those that it stands `under`: its heading, and what leads to its list or table."""

    statement: Statement
    under: tuple[Statement, ...]


def _placed(answer: str) -> list[_Placed]:
    said = statements(answer)
    found: list[_Placed] = []
    heading: tuple[Statement, ...] = ()
    lead: tuple[Statement, ...] = ()
    for each, following in zip_longest(said, said[1:]):
        found.append(_Placed(each, heading + lead))
        if _HEADING.match(answer, answer.rfind("\n", 0, each.start) + 1):
            heading, lead = (each,), ()
        elif _LEAD_IN.search(each.text) or (following is not None and _is_rule(following)):
            lead = (each,)
    return found


def _is_rule(statement: Statement) -> bool:
    """The line below the head of a table."""
    return not any(map(str.isalnum, statement.text))


def _claims(said: Sequence[_Placed]) -> list[_Placed]:
    """Those that claim something; the same words once under each heading, where they are about something else."""
    first: dict[tuple[str, ...], _Placed] = {}
    for each in said:
        if each.statement.claim:
            first.setdefault(tuple(same_words(words.text) for words in (each.statement, *each.under)), each)
    return list(first.values())


def _part(said: Sequence[_Placed], group: Sequence[_Placed]) -> AnswerPart:
    indexes = tuple(each.statement.index for each in group)
    begins, ends = indexes[0], indexes[-1] + 1
    nearest = [each.statement for each in said[max(0, begins - _BEFORE) : begins]]
    above = [each for each in group[0].under if each not in nearest]
    own = set(indexes)
    asked = [each.statement for each in said[begins:ends] if each.statement.index in own or not each.statement.claim]
    return AnswerPart(indexes, _lines(asked), _lines([*above, *nearest]))


def _lines(said: Sequence[Statement]) -> str:
    # A line alone would go on with the next one where the stop is missing.
    return "\n\n".join(" ".join(each.text.split()) for each in said if not _is_rule(each))
