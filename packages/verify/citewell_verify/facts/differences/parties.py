"""Finds exchanged parties, by the order of words, the voice or a particle: "Denmark defeated Sweden" for "Denmark was
defeated by Sweden" (V2)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from citewell_verify.facts.kinds import Difference
from citewell_verify.facts.reading.token_alignment import Alignment, content_tokens, has_token, same_lexeme
from citewell_verify.facts.reading.tokens import Token

_PASSIVE = frozenset("is are was were be been being got get gets getting".split())
_FARTHEST = 3  # tokens from the auxiliary to its verb, and from the verb to "by"

_TOPIC_OF_OBLIQUE = re.compile("(?:에|에서|에게|한테|로|부터|까지|보다|와|과)[는은]$")
_KOREAN_PASSIVE, _KOREAN_ACTIVE = re.compile("[되된될됩됐돼받]|당[하한할합했]"), re.compile("[하한할합했해]")
_OTHER_VOICE = ({"object", "goal"}, {"object", "source"})  # cases of one party in two sentences of different voice


_VERY_ALIKE = 0.9  # similarity of two sentences from which the order of common words matters
_MOST_MOVED = 5  # tokens that an exchange moves; if more are moved, clauses changed places
_LIST_WORDS = frozenset("and or 및 와 과".split())


@dataclass(frozen=True, slots=True)
class _Parties:
    """The verb of a clause, the words for the party that acts, and the words for the party that is acted upon."""

    verb: Token
    acting: Sequence[Token]
    undergoing: Sequence[Token]


def order_differences(alignment: Alignment) -> Iterator[Difference]:
    """Yield pairs of things that changed places around a third one: "Bob hired Alice" for "Alice hired Bob"."""
    both = sorted((*alignment.pairs, *alignment.moved))
    tokens = [(alignment.statement[index], alignment.source[place]) for index, place in both]
    is_clause = not alignment.moved or len(alignment.moved) > _MOST_MOVED or not alignment.is_close
    is_other_voice = bool(_passive_with_agent(alignment.statement)) != bool(_passive_with_agent(alignment.source))
    if is_clause or is_other_voice or is_other_korean_voice(tokens):
        return
    alike = max(alignment.similarity, alignment.local_similarity) >= _VERY_ALIKE
    ends = [_is_end(stated, known, alike=alike) for stated, known in tokens]
    highest = -1  # the earlier end that is last in the source
    middles: list[tuple[int, int]] = []  # (place in the source, end before it) of tokens that precede an earlier end
    for at, (_, source_at) in enumerate(both):
        first = next((end for place, end in middles if source_at < place), None) if ends[at] else None
        if first is not None and not _is_list(alignment.source[source_at : both[first][1] + 1]):
            yield Difference("order", tokens[first][0].text, tokens[first][1].text)
            return
        if highest >= 0 and source_at < both[highest][1]:
            middles.append((source_at, highest))
        if ends[at] and (highest < 0 or source_at > both[highest][1]):
            highest = at


def is_other_korean_voice(pairs: Iterable[tuple[Token, Token]]) -> bool:
    return any({*map(_korean_voice, pair)} == {"active", "passive"} for pair in pairs)


def _is_end(stated: Token, known: Token, *, alike: bool) -> bool:
    """Return whether a token is a name or a value; if the sentences have equal words (`alike`), any word counts."""
    named = stated.kind in ("name", "value") or known.kind == "name"  # a name may open the statement
    if named or not alike or stated.kind != "word":
        return named
    return not "가" <= stated.text[-1] <= "힣" or (
        stated.case == known.case and stated.case in ("subject", "topic", "object")
    )


def _is_list(tokens: Sequence[Token]) -> bool:
    kinds = {token.kind for token in tokens if token.key not in _LIST_WORDS}
    return len(kinds) == 1 and "word" not in kinds


def voice_differences(alignment: Alignment) -> Iterator[Difference]:
    """Yield a party that acts in one sentence and is acted upon in the other; one of them is a passive with "by"."""
    for passive, sentence in ((alignment.source, alignment.statement), (alignment.statement, alignment.source)):
        known = _passive_with_agent(passive)
        told = _with_verb(sentence, known.verb) if known else None
        if not known or not told:
            continue
        for party, own, others in (
            (told.acting, known.acting, known.undergoing),
            (told.undergoing, known.undergoing, known.acting),
        ):
            exchanged = next((token for token in party if has_token(others, token) and not has_token(own, token)), None)
            if exchanged and not any(has_token(own, token) for token in party):
                yield Difference("order", exchanged.text, own[0].text)
                return


def _passive_with_agent(tokens: Sequence[Token]) -> _Parties | None:
    for at, token in enumerate(tokens):
        if token.key not in _PASSIVE:
            continue
        ahead = range(at + 1, min(len(tokens), at + 1 + _FARTHEST))
        verb = next((i for i in ahead if tokens[i].is_content), None)
        if verb is None:
            continue
        by = next((i for i in range(verb + 1, min(len(tokens), verb + 1 + _FARTHEST)) if tokens[i].key == "by"), None)
        parties = _Parties(tokens[verb], content_tokens(tokens[by + 1 :] if by else ()), content_tokens(tokens[:at]))
        if not parties.acting or not parties.undergoing:
            continue
        # "By 640 people" names a party, "by 5 %" and "by 2020" do not.
        value = parties.acting[0].value
        if value is None or (value.quantity and not value.quantity.unit):
            return parties
    return None


def _with_verb(tokens: Sequence[Token], wanted: Token) -> _Parties | None:
    content = ((at, token.key) for at, token in enumerate(tokens) if token.is_content)
    at = next((at for at, key in content if key == wanted.key or same_lexeme(key, wanted.key)), None)
    if at is None:
        return None
    before, behind = content_tokens(tokens[:at]), tokens[at + 1 :]
    by = next((i for i, token in enumerate(behind) if token.key == "by"), None)
    if any(token.key in _PASSIVE for token in tokens[max(0, at - _FARTHEST) : at]):
        return _Parties(tokens[at], content_tokens(behind[by + 1 :]) if by is not None else (), before)
    return _Parties(tokens[at], before, content_tokens(behind))


def korean_party_differences(alignment: Alignment) -> Iterator[Difference]:
    """Yield a noun whose particle makes it another party of the same verb: 유튜브는 구글에 인수되었다 means neither
    구글이 인수되었다 nor 유튜브는 구글을 인수했다."""
    pairs = (*alignment.pairs, *alignment.moved)
    tokens = [(alignment.statement[index], alignment.source[place]) for index, place in pairs]
    nouns = [
        (stated, known)
        for stated, known in tokens
        if stated.is_content and (not stated.value or {stated.case, known.case} == {"source", "goal"})
    ]
    if not any(stated.case for stated, _ in nouns):
        return
    voices = [{_korean_voice(stated), _korean_voice(known)} for stated, known in tokens]
    roles = {(_role(stated), _role(known)) for stated, known in nouns}
    for stated, known in nouns:
        role, known_role = _role(stated), _role(known)
        if {"active", "passive"} in voices:
            is_exchanged = role == known_role == "subject" and any(set(pair) in _OTHER_VOICE for pair in roles)
        elif role == known_role or "" in (role, known_role):
            continue
        else:
            is_exchanged = (known_role, role) in roles or (role == "subject" and _has_lost_subject(known, alignment))
        if is_exchanged:
            yield Difference("order", stated.text, known.text)
            return


def _role(token: Token) -> str:
    if token.case == "topic":
        return "" if _TOPIC_OF_OBLIQUE.search(token.text) else "subject"
    return "" if token.case == "goal" and token.text.endswith("로") else token.case


def _has_lost_subject(token: Token, alignment: Alignment) -> bool:
    """Return whether the clause of a source's noun, which is a goal or origin there, has a subject that the statement
    lacks.
    """
    own = [at for at, word in enumerate(alignment.source) if word.clause == token.clause]
    lost = any(_role(alignment.source[at]) == "subject" and at not in alignment.matched_source for at in own)
    verb = next((at for at in reversed(own) if alignment.source[at].is_content), None)
    return token.case in ("goal", "source") and lost and verb in alignment.matched_source


def _korean_voice(token: Token) -> str:
    """Return the voice of a verb made from a noun, 인수하다 or 인수되다; "" for any other word."""
    ending = token.text.removeprefix(token.key)
    if ending == token.text:
        return ""
    return "passive" if _KOREAN_PASSIVE.match(ending) else "active" if _KOREAN_ACTIVE.match(ending) else ""
