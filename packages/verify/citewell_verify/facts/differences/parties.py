"""Finds who does what to whom exchanged by order, voice or particle: "Denmark defeated Sweden" for "Denmark was
defeated by Sweden" (V2)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from citewell_verify.facts.kinds import Difference
from citewell_verify.facts.reading.token_alignment import Alignment, same_lexeme, tokens_match
from citewell_verify.facts.reading.tokens import Token

_PASSIVE = frozenset("is are was were be been being got get gets getting".split())
_FARTHEST = 3  # tokens from the auxiliary to its verb, and from the verb to "by"

_TOPIC_OF_OBLIQUE = re.compile("(?:에|에서|에게|한테|로|부터|까지|보다|와|과)[는은]$")
_KOREAN_PASSIVE, _KOREAN_ACTIVE = re.compile("[되된될됩됐돼받]|당[하한할합했]"), re.compile("[하한할합했해]")
_OTHER_VOICE = ({"object", "goal"}, {"object", "source"})  # of one party in two sentences of other voice


_VERY_ALIKE = 0.9  # similarity of two sentences from which the order of common words matters
_MOST_MOVED = 5  # tokens that an exchange moves; if more moved, clauses changed places
_LIST_WORDS = frozenset("and or 및 와 과".split())


@dataclass(frozen=True, slots=True)
class _Parties:
    """The verb of a clause, what stands for who does it, and what for whom it is done to."""

    verb: Token
    acting: Sequence[Token]
    undergoing: Sequence[Token]


def order_differences(alignment: Alignment) -> Iterator[Difference]:
    """Yield two things that changed places around a third one: "Bob hired Alice" for "Alice hired Bob"."""
    both = sorted((*alignment.pairs, *alignment.moved))
    tokens = [(alignment.statement[mine], alignment.source[theirs]) for mine, theirs in both]
    is_clause = not alignment.moved or len(alignment.moved) > _MOST_MOVED or not alignment.is_close
    is_other_voice = bool(_passive_with_agent(alignment.statement)) != bool(_passive_with_agent(alignment.source))
    if is_clause or is_other_voice or is_other_korean_voice(tokens):
        return
    alike = max(alignment.similarity, alignment.local_similarity) >= _VERY_ALIKE
    ends = [_is_end(one, other, alike=alike) for one, other in tokens]
    highest = -1  # the earlier end that is last in the source
    middles: list[tuple[int, int]] = []  # (place in the source, end before it) of tokens that precede an earlier end
    for at, (_, theirs) in enumerate(both):
        first = next((end for place, end in middles if theirs < place), None) if ends[at] else None
        if first is not None and not _is_list(alignment.source[theirs : both[first][1] + 1]):
            yield Difference("order", tokens[first][0].text, tokens[first][1].text)
            return
        if highest >= 0 and theirs < both[highest][1]:
            middles.append((theirs, highest))
        if ends[at] and (highest < 0 or theirs > both[highest][1]):
            highest = at


def is_other_korean_voice(pairs: Iterable[tuple[Token, Token]]) -> bool:
    return any({*map(_korean_voice, pair)} == {"active", "passive"} for pair in pairs)


def _is_end(one: Token, other: Token, *, alike: bool) -> bool:
    # A name or a value, or in sentences of equal words any word.
    named = one.kind in ("name", "value") or other.kind == "name"  # a name may open the statement as any word does
    if named or not alike or one.kind != "word":
        return named
    return not "가" <= one.text[-1] <= "힣" or (one.case == other.case and one.case in ("subject", "topic", "object"))


def _is_list(tokens: Sequence[Token]) -> bool:
    kinds = {token.kind for token in tokens if token.key not in _LIST_WORDS}
    return len(kinds) == 1 and "word" not in kinds


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
        if parties.acting and parties.undergoing and not _is_amount(parties.acting[0]):
            return parties
    return None


def _is_amount(token: Token) -> bool:
    # "by 5 %", "by 2020", not "by 640 people".
    return token.value is not None and not (token.value.quantity and not token.value.quantity.unit)


def _with_verb(tokens: Sequence[Token], wanted: Token) -> _Parties | None:
    at = next((at for at, each in enumerate(tokens) if each.is_content and _same(each, wanted)), None)
    if at is None:
        return None
    before, behind = _content(tokens[:at]), tokens[at + 1 :]
    by = next((i for i, each in enumerate(behind) if each.key == "by"), None)
    if any(token.key in _PASSIVE for token in tokens[max(0, at - _FARTHEST) : at]):
        return _Parties(tokens[at], _content(behind[by + 1 :]) if by is not None else (), before)
    return _Parties(tokens[at], before, _content(behind))


def _verb_behind(tokens: Sequence[Token], at: int) -> int | None:
    return next((i for i in range(at + 1, min(len(tokens), at + 1 + _FARTHEST)) if tokens[i].is_content), None)


def _content(tokens: Sequence[Token]) -> Sequence[Token]:
    return [token for token in tokens if token.is_content]


def _same(one: Token, other: Token) -> bool:
    return one.key == other.key or same_lexeme(one.key, other.key)


def _has(tokens: Sequence[Token], wanted: Token) -> bool:
    return any(tokens_match(wanted, token) for token in tokens)


def korean_party_differences(alignment: Alignment) -> Iterator[Difference]:
    """Yield the noun whose particle makes it another party of the same verb: 유튜브는 구글에 인수되었다 says neither
    구글이 인수되었다 nor 유튜브는 구글을 인수했다."""
    pairs = (*alignment.pairs, *alignment.moved)
    tokens = [(alignment.statement[mine], alignment.source[theirs]) for mine, theirs in pairs]
    nouns = [(one, other) for one, other in tokens if one.is_content and (not one.value or _is_change(one, other))]
    if not any(one.case for one, _ in nouns):
        return
    voices = [{_korean_voice(one), _korean_voice(other)} for one, other in tokens]
    roles = {(_role(one), _role(other)) for one, other in nouns}
    for one, other in nouns:
        mine, known = _role(one), _role(other)
        if {"active", "passive"} in voices:
            is_exchanged = mine == known == "subject" and any(set(pair) in _OTHER_VOICE for pair in roles)
        elif mine == known or "" in (mine, known):
            continue
        else:
            is_exchanged = (known, mine) in roles or (mine == "subject" and _has_lost_subject(other, alignment))
        if is_exchanged:
            yield Difference("order", one.text, other.text)
            return


def _is_change(one: Token, other: Token) -> bool:
    return {one.case, other.case} == {"source", "goal"}


def _role(token: Token) -> str:
    if token.case == "topic":
        return "" if _TOPIC_OF_OBLIQUE.search(token.text) else "subject"
    return "" if token.case == "goal" and token.text.endswith("로") else token.case


def _has_lost_subject(token: Token, alignment: Alignment) -> bool:
    """Say whether the clause of a source's noun, a goal or origin there, has a subject that the statement lacks."""
    own = [at for at, each in enumerate(alignment.source) if each.clause == token.clause]
    lost = any(_role(alignment.source[at]) == "subject" and at not in alignment.matched_source for at in own)
    verb = next((at for at in reversed(own) if alignment.source[at].is_content), None)
    return token.case in ("goal", "source") and lost and verb in alignment.matched_source


def _korean_voice(token: Token) -> str:
    # Of a verb made from a noun: 인수하다, 인수되다; empty for any other word.
    ending = token.text.removeprefix(token.key)
    if ending == token.text:
        return ""
    return "passive" if _KOREAN_PASSIVE.match(ending) else "active" if _KOREAN_ACTIVE.match(ending) else ""
