"""Finds equal words in exchanged positions: word order, voice and Korean case (V2)."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from domain.facts.kinds import Difference
from domain.facts.reading.korean import is_korean
from domain.facts.reading.token_alignment import Alignment, same_lexeme, tokens_match
from domain.facts.reading.tokens import Token

_VERY_ALIKE = 0.9  # similarity of two sentences from which the order of common words matters
_MOST_MOVED = 5  # tokens that an exchange moves; if more moved, clauses changed places
_PARTICIPLE = re.compile(r"(?:ed|en|wn|ne|ght|ld|nd|de|un|ng|t|id)$")
_LIST_WORDS = frozenset("and or 및 와 과".split())
_AUXILIARY = frozenset("is are was were be been being".split())
_PASSIVE = _AUXILIARY | frozenset("got get gets getting".split())
_BEFORE_PASSIVE = _AUXILIARY | frozenset(
    "inc corp ltd llc plc co limited has have had will would can could may might must shall should not".split()
)
_ARTICLES = frozenset("a an the".split())
_LONGEST = 5  # words of an agent
_OBLIQUE = frozenset("to into from by with for in at on against over under near".split())
_TOPIC_OF_OBLIQUE = re.compile("(?:에|에서|에게|한테|로|부터|까지|보다|와|과)[는은]$")
_AS = re.compile("로$")  # 종택으로: as a house, not to one
_KOREAN_PASSIVE, _KOREAN_ACTIVE = (
    re.compile("되|된|될|됩|됐|돼|당하|당한|당할|당합|당했|받"),
    re.compile("하|한|할|합|했|해"),
)


def order_differences(alignment: Alignment) -> Iterator[Difference]:
    """Yield an exchange of two things around a third one: `Bob hired Alice` (V2)."""
    both = sorted((*alignment.pairs, *alignment.moved))
    voice = _has_other_voice(alignment)
    if (
        exchanged := _agent_as_subject(alignment)
        or _oblique_as_subject(alignment)
        or _subject_of_both_voices(alignment)
    ):
        yield exchanged
        return
    if _has_other_korean_voice(alignment):
        return  # the cases show who does it: `case_differences`
    if not alignment.moved:
        if voice and len(both) > 2:
            yield _order_difference(alignment, both[0])
        return
    loose = voice or len(alignment.moved) > _MOST_MOVED or not alignment.is_close
    turned = None if loose else _reversed_pair(alignment, both)
    if turned:
        yield _order_difference(alignment, turned)


def _order_difference(alignment: Alignment, pair: tuple[int, int]) -> Difference:
    mine, theirs = pair
    return Difference("order", alignment.statement[mine].text, alignment.source[theirs].text)


def _reversed_pair(alignment: Alignment, both: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Return the first of three tokens in reversed order; its ends are names or values, or the sentences have equal
    words."""
    alike = max(alignment.similarity, alignment.local_similarity) >= _VERY_ALIKE
    ends = [_is_end(alignment.statement[mine], alignment.source[theirs], alike=alike) for mine, theirs in both]
    highest = -1  # the index of the earlier end that is last in the source
    middles: list[tuple[int, int]] = []  # (place in the source, end before it) of tokens that precede an earlier end
    for at, (_, theirs) in enumerate(both):
        first = next((end for place, end in middles if theirs < place), None) if ends[at] else None
        if first is not None and not _is_listed(alignment.source[theirs : both[first][1] + 1]):
            return both[first]
        if highest >= 0 and theirs < both[highest][1]:
            middles.append((theirs, highest))
        if ends[at] and (highest < 0 or theirs > both[highest][1]):
            highest = at
    return None


def _is_end(one: Token, other: Token, *, alike: bool) -> bool:
    # A name or a value, or in sentences of equal words any word.
    named = one.kind in ("name", "value") or other.kind == "name"  # a name may open the statement as any word does
    if named or not alike or one.kind != "word":
        return named
    korean = "가" <= one.text[-1] <= "힣"
    return not korean or (one.case == other.case and one.case in ("subject", "topic", "object"))


def _is_listed(tokens: Sequence[Token]) -> bool:
    kinds = {each.kind for each in tokens if each.key not in _LIST_WORDS}
    return len(kinds) == 1 and "word" not in kinds


def _has_other_voice(alignment: Alignment) -> bool:
    here, there = (_passive_verb(tokens) for tokens in (alignment.statement, alignment.source))
    if bool(here) == bool(there):
        return False
    verb = here or there
    others = alignment.source if here else alignment.statement
    if any(each.key == "by" for each in others):
        return False
    verbs = [at for at, each in enumerate(others) if each.is_content and same_word(each.key, verb)]
    # "It was released in May" only omits the agent.
    return bool(verbs) and not any(_is_passive_at(others, at) for at in verbs)


def same_word(one: str, other: str) -> bool:
    return one == other or same_lexeme(one, other)


def _agent_as_subject(alignment: Alignment) -> Difference | None:
    # `Google was acquired`.
    sentence = alignment.source
    for at, auxiliary in enumerate(sentence):
        by = next((each for each in range(at + 2, at + 5) if _key_at(sentence, each) == "by"), None)
        verb = next((each for each in sentence[at + 1 : by] if each.is_content), None)
        if auxiliary.key not in _PASSIVE or by is None or verb is None:
            continue
        agent = list(
            takewhile(lambda each: each.is_content or each.key in _ARTICLES, sentence[by + 1 : by + 1 + _LONGEST])
        )
        done_to = _passive_subject(alignment.statement, verb.key)
        if done_to is None or any(tokens_match(done_to, each) for each in sentence[:at] if each.is_content):
            continue
        if found := next((each for each in agent if each.is_content and tokens_match(done_to, each)), None):
            return Difference("order", done_to.text, found.text)
    return None


def _oblique_as_subject(alignment: Alignment) -> Difference | None:
    """Return the subject of the statement where the source has it behind a preposition, or with 에, 에게, 에서.

    "The company was sold to Orion" does not say that Orion was sold, nor 유튜브는 구글에 인수되었다 that 구글은
    인수되었다. If the statement has the subject of the source, too, it may say the same in other words.
    """
    at = _subject_at(alignment.statement)
    if at is None:
        return None
    subject = alignment.statement[at]
    places = [each for each, token in enumerate(alignment.source) if token.is_content and tokens_match(subject, token)]
    for place in places:
        token = alignment.source[place]
        acts = _has_lost_korean_subject if is_korean(token.text) else _has_lost_subject
        if not acts(alignment, place):
            return None
    return Difference("order", subject.text, alignment.source[places[0]].text) if places else None


def _subject_at(tokens: Sequence[Token]) -> int | None:
    # In Korean the first one with a subject's particle.
    if any(each.case for each in tokens):
        return next((at for at, each in enumerate(tokens) if _is_korean_subject(each)), None)
    first = next((at for at, each in enumerate(tokens) if each.key not in _ARTICLES), None)
    return first if first is not None and tokens[first].kind in ("name", "word") else None


def _is_korean_subject(token: Token) -> bool:
    return token.is_content and token.case in ("subject", "topic") and not _TOPIC_OF_OBLIQUE.search(token.text)


def _has_lost_subject(alignment: Alignment, place: int) -> bool:
    """Say whether an English source has a noun behind a preposition, after words of the statement, and a subject that
    the statement lacks."""
    sentence = alignment.source
    before = next((each for each in reversed(sentence[:place]) if each.key not in _ARTICLES), None)
    first = next((at for at, each in enumerate(sentence) if each.key not in _ARTICLES), 0)
    is_lost = sentence[first].kind in ("name", "word", "pronoun") and first not in alignment.matched_source
    follows = any(at < place and sentence[at].is_content for at in alignment.matched_source)
    return (
        before is not None
        and before.key in _OBLIQUE
        and is_lost
        and follows
        and alignment.coverage == 1
        and not _has_other_voice(alignment)
    )


def _has_lost_korean_subject(alignment: Alignment, place: int) -> bool:
    """Say whether a Korean source has a noun with the particle of a goal or source, and does with the same verb what
    the statement does, to a subject that the statement lacks."""
    token = alignment.source[place]
    clause = [at for at, each in enumerate(alignment.source) if each.clause == token.clause]
    verb = next((at for at in reversed(clause) if at > place and alignment.source[at].is_content), None)
    if (
        token.case not in ("goal", "source")
        or _AS.search(token.text)
        or verb is None
        or verb not in alignment.matched_source
    ):
        return False
    voice = _korean_voice(alignment.source[verb])
    if voice != _korean_voice(_counterpart(alignment, verb)):
        return False
    subjects = [at for at in clause if alignment.source[at].case in ("subject", "topic")]
    return all(at not in alignment.matched_source for at in subjects) if subjects else voice == "passive"


def _subject_of_both_voices(alignment: Alignment) -> Difference | None:
    """Return the Korean subject that has done something in one sentence, and had it done to it in the other."""
    if not _has_other_korean_voice(alignment):
        return None
    both = [
        (alignment.statement[mine], alignment.source[theirs]) for mine, theirs in (*alignment.pairs, *alignment.moved)
    ]
    kept = next((pair for pair in both if all(map(_is_korean_subject, pair))), None)
    exchanged = any(
        "object" in (one.case, other.case) and {one.case, other.case} & {"goal", "source"} for one, other in both
    )
    return Difference("order", kept[0].text, kept[1].text) if kept and exchanged else None


def _has_other_korean_voice(alignment: Alignment) -> bool:
    voices = (
        {_korean_voice(alignment.statement[mine]), _korean_voice(alignment.source[theirs])}
        for mine, theirs in (*alignment.pairs, *alignment.moved)
    )
    return any(each == {"active", "passive"} for each in voices)


def _korean_voice(token: Token) -> str:
    # Of one made from a noun: 인수하다, 인수되다; empty for any other word.
    ending = token.text.removeprefix(token.key)
    if ending == token.text:
        return ""
    return "passive" if _KOREAN_PASSIVE.match(ending) else "active" if _KOREAN_ACTIVE.match(ending) else ""


def _counterpart(alignment: Alignment, place: int) -> Token:
    return next(alignment.statement[mine] for mine, theirs in (*alignment.pairs, *alignment.moved) if theirs == place)


def _key_at(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].key if at < len(tokens) else ""


def _passive_subject(tokens: Sequence[Token], verb: str) -> Token | None:
    for at, token in enumerate(tokens):
        if token.key in _PASSIVE and any(same_word(each.key, verb) for each in tokens[at + 1 : at + 3]):
            before = next((each for each in reversed(tokens[:at]) if each.key not in _BEFORE_PASSIVE), None)
            return before if before and before.is_content else None
    return None


def _is_passive_at(tokens: Sequence[Token], at: int) -> bool:
    return any(each.key in _AUXILIARY for each in tokens[max(0, at - 2) : at])


def _passive_verb(tokens: Sequence[Token]) -> str:
    for at, token in enumerate(tokens):
        if token.key not in _AUXILIARY:
            continue
        verb = next((place for place in (at + 1, at + 2) if place < len(tokens) and tokens[place].is_content), None)
        if (
            verb
            and _PARTICIPLE.search(tokens[verb].text)
            and any(each.key == "by" for each in tokens[verb + 1 : verb + 5])
        ):
            return tokens[verb].key
    return ""


def case_differences(alignment: Alignment) -> Iterator[Difference]:
    both = [
        (alignment.statement[mine], alignment.source[theirs]) for mine, theirs in (*alignment.pairs, *alignment.moved)
    ]
    if not any(one.case for one, _ in both):
        return
    changed = [
        (one, other, _role(one), _role(other)) for one, other in both if one.is_content and _has_role(one, other)
    ]
    roles = {(here, there) for _, _, here, there in changed if here != there}
    alike = alignment.similarity >= _VERY_ALIKE
    for one, other, here, there in changed:
        if (there, here) in roles and here != there and (alike or "bare" not in (here, there)):
            yield Difference("order", one.text, other.text)
            return


def _has_role(one: Token, other: Token) -> bool:
    # Numbers have one only as ends of a change, `6살에서 12살로`.
    return not one.value or {one.case, other.case} == {"source", "goal"}


def _role(token: Token) -> str:
    return "subject" if token.case == "topic" else token.case or "bare"
