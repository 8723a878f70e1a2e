"""Finds prepositions and particles that exclude each other at the same word: "until 5 May" and "from 5 May" (V3).

Function words are not aligned, since most of them may be exchanged. These classes are closed and may not: where a span
of time begins and ends, what a figure changes by, to and from, on and under, and the particles of phrasal verbs.
"""

from collections.abc import Iterator, Mapping, Sequence

from domain.facts.kinds import Difference
from domain.facts.reading.token_alignment import Alignment
from domain.facts.reading.tokens import Token
from domain.text.words import vocabulary

_BEGINNING, _END = vocabulary("from since after starting"), vocabulary("until till before")
_COMPARED = vocabulary("more less fewer")
_FARTHEST = 4  # function words between a marker and its word


def _exclusive(*groups: tuple[frozenset[str], frozenset[str]]) -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for one, other in (*groups, *((other, one) for one, other in groups)):
        for word in one:
            found[word] = found.get(word, frozenset()) | other
    return found


_BEFORE_ANY = _exclusive(
    (_BEGINNING, _END),
    (vocabulary("by"), vocabulary("after since")),
    (vocabulary("during"), vocabulary("after before")),
    (vocabulary("on"), vocabulary("under beneath below behind")),
    (vocabulary("from"), vocabulary("to into toward towards")),
    (vocabulary("more"), vocabulary("less fewer")),
)
_BEFORE_FIGURES = _exclusive((vocabulary("by"), vocabulary("to from")), (vocabulary("to"), vocabulary("from")))
_BEHIND_VERBS = _exclusive(
    (vocabulary("on"), vocabulary("off")), (vocabulary("in"), vocabulary("out")), (vocabulary("up"), vocabulary("down"))
)


def function_word_differences(alignment: Alignment) -> Iterator[Difference]:
    if _compares(alignment.statement) and not any(each.key in _COMPARED | {"than"} for each in alignment.source):
        yield Difference("quantifier", next(each.text for each in alignment.statement if each.key in _COMPARED), None)
    for mine, theirs in sorted((*alignment.pairs, *alignment.moved)):
        token = alignment.statement[mine]
        if not token.is_content:
            continue
        exclusive = _BEFORE_FIGURES if token.value and token.value.quantity else _BEFORE_ANY
        before = _before(alignment.statement, mine), _before(alignment.source, theirs)
        if found := _excluded(*before, exclusive):
            yield Difference("negation", f"{found[0]} {token.text}", f"{found[1]} {alignment.source[theirs].text}")
            continue
        behind = _behind(alignment.statement, mine), _behind(alignment.source, theirs)
        if found := _excluded(*behind, _BEHIND_VERBS):
            yield Difference("negation", f"{token.text} {found[0]}", f"{alignment.source[theirs].text} {found[1]}")


def _compares(tokens: Sequence[Token]) -> bool:
    words = {each.text.casefold() for each in tokens}
    return "than" in words and bool(words & _COMPARED)


def _excluded(
    stated: Sequence[str], known: Sequence[str], exclusive: Mapping[str, frozenset[str]]
) -> tuple[str, str] | None:
    for one in stated:
        for other in known:
            if other in exclusive.get(one, ()) and one not in known and other not in stated:
                return one, other
    return None


def _before(tokens: Sequence[Token], at: int) -> list[str]:
    found: list[str] = []
    for token in reversed(tokens[max(0, at - _FARTHEST) : at]):
        if token.is_content:
            break
        found.append(token.text.casefold())
    return found


def _behind(tokens: Sequence[Token], at: int) -> list[str]:
    found: list[str] = []
    for token in tokens[at + 1 : at + 1 + _FARTHEST]:
        if token.is_content:
            break
        found.append(token.text.casefold())
    return found
