"""Finds who does what to whom exchanged over the voice: "Denmark defeated Sweden" for "Denmark was defeated by Sweden"
(V2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.facts.kinds import Difference
from domain.facts.reading.token_alignment import Alignment, same_lexeme, tokens_match
from domain.facts.reading.tokens import Token

_PASSIVE = frozenset("is are was were be been being got get gets getting".split())
_FARTHEST = 3  # tokens from the auxiliary to its verb, and from the verb to "by"


@dataclass(frozen=True, slots=True)
class _Parties:
    """The verb of a clause, what stands for who does it, and what for whom it is done to."""

    verb: Token
    acting: Sequence[Token]
    undergoing: Sequence[Token]


def voice_differences(alignment: Alignment) -> Iterator[Difference]:
    """Yield the party that does in one sentence what is done to it in the other; one of them is a passive with "by"."""
    for passive, sentence in ((alignment.source, alignment.statement), (alignment.statement, alignment.source)):
        known = _passive_with_agent(passive)
        told = _with_verb(sentence, known.verb) if known else None
        if not known or not told:
            continue
        for mine, own, others in (
            (told.acting, known.acting, known.undergoing),
            (told.undergoing, known.undergoing, known.acting),
        ):
            exchanged = next((each for each in mine if _has(others, each) and not _has(own, each)), None)
            if exchanged and not any(_has(own, each) for each in mine):
                yield Difference("order", exchanged.text, own[0].text)
                return


def _passive_with_agent(tokens: Sequence[Token]) -> _Parties | None:
    for at, token in enumerate(tokens):
        verb = _verb_behind(tokens, at)
        if token.key not in _PASSIVE or verb is None:
            continue
        by = next((i for i in range(verb + 1, min(len(tokens), verb + 1 + _FARTHEST)) if tokens[i].key == "by"), None)
        parties = _Parties(tokens[verb], _content(tokens[by + 1 :] if by else ()), _content(tokens[:at]))
        if parties.acting and parties.undergoing and not parties.acting[0].value:
            return parties
    return None


def _with_verb(tokens: Sequence[Token], wanted: Token) -> _Parties | None:
    at = next((at for at, each in enumerate(tokens) if each.is_content and _same(each, wanted)), None)
    if at is None:
        return None
    before, behind = _content(tokens[:at]), tokens[at + 1 :]
    by = next((i for i, each in enumerate(behind) if each.key == "by"), None)
    if any(each.key in _PASSIVE for each in tokens[max(0, at - _FARTHEST) : at]):
        return _Parties(tokens[at], _content(behind[by + 1 :]) if by is not None else (), before)
    return _Parties(tokens[at], before, _content(behind))


def _verb_behind(tokens: Sequence[Token], at: int) -> int | None:
    return next((i for i in range(at + 1, min(len(tokens), at + 1 + _FARTHEST)) if tokens[i].is_content), None)


def _content(tokens: Sequence[Token]) -> Sequence[Token]:
    return [each for each in tokens if each.is_content]


def _same(one: Token, other: Token) -> bool:
    return one.key == other.key or same_lexeme(one.key, other.key)


def _has(tokens: Sequence[Token], wanted: Token) -> bool:
    return any(tokens_match(wanted, each) for each in tokens)
