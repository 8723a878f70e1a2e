"""Tests whether the subject of a statement is only a part of the name that its place has (V2).

"Berlin Airport handles 25 million passengers" does not say that Berlin does, nor "the Bank of Norby lent 3 million"
that Norby did: the word that says what it is, the head of the name, is missing. Other parts of a name may be left out,
as in "Whitfield" for "Ada Whitfield" and "Orta" for "Lake Orta".
"""

import re
from collections.abc import Iterator, Sequence

from domain.facts.kinds import Difference
from domain.facts.reading.korean import is_korean
from domain.facts.reading.token_alignment import tokens_match
from domain.facts.reading.tokens import Token
from domain.facts.reading.vocabulary import GENERIC, LABELLED, keys_of
from domain.facts.structure.headings import is_section_key
from domain.facts.structure.terms import CLASSES

_ARTICLES = frozenset("a an the".split())
_SAME_THING = GENERIC | keys_of("town village municipality")  # "the city of Berlin" is Berlin
_VERBAL = re.compile("(?:s|ed)$")  # "Acme ships", "Acme used to"
_ABSTRACT = re.compile(r"(?:ation|ment|ness|[ae]nce|ity)$")
_HEADS = CLASSES | keys_of(" ".join(LABELLED))
_ACTING = ("subject", "topic", "owner")


def part_of_name(statement: Sequence[Token], place: Sequence[Token]) -> Iterator[Difference]:
    subject = _subject(statement)
    if subject is None:
        return
    names = [_whole_name(subject, place, at) for at, each in enumerate(place) if tokens_match(subject, each)]
    heads = [head for _, head in names if head]
    missing = [each for each in heads if not any(_has_word(token, each) for token in statement)]
    if missing and len(missing) == len(names):
        # It may still mean the same: neither proven nor contradicted.
        yield Difference("wording", subject.text, names[0][0])


def _subject(tokens: Sequence[Token]) -> Token | None:
    if any(each.case for each in tokens):
        return next((each for each in tokens if each.kind == "name" and each.case in _ACTING), None)
    first = next((each for each in tokens if each.key not in _ARTICLES), None)
    return first if first and (first.kind == "name" or first.text[:1].isupper()) and first.kind != "value" else None


def _whole_name(subject: Token, place: Sequence[Token], at: int) -> tuple[str, str]:
    token = place[at]
    behind = place[at + 1] if at + 1 < len(place) else None
    adjoins = behind is not None and behind.start == token.start + len(token.text) + 1 and behind.is_content
    if is_korean(token.text):
        may_be_part = adjoins and not token.case and token.names != "person"
        if may_be_part and behind and behind.kind == "word" and behind.case in _ACTING and behind.key not in GENERIC:
            return f"{token.text} {behind.text}", behind.key
        return token.text, ""
    words, own = token.key.split(), subject.key.split()
    if words[-1] not in own:
        behind_subject = words[max((index for index, each in enumerate(words) if each in own), default=0) + 1 :]
        return token.text, next(filter(_may_be_head, behind_subject), "")
    if adjoins and behind and behind.kind == "word" and not _VERBAL.search(behind.text) and _may_be_head(behind.key):
        return f"{token.text} {behind.text}", behind.key
    owner = _owned(place, at)
    return (f"{owner.text} of {token.text}", owner.key) if owner else (token.text, "")


def _may_be_head(key: str) -> bool:
    return (key in _HEADS or is_section_key(key) or _ABSTRACT.search(key) is not None) and key not in GENERIC


def _owned(place: Sequence[Token], at: int) -> Token | None:
    # Not in "the city of Berlin".
    before = [each for each in place[:at] if each.key not in _ARTICLES][-2:]
    if len(before) < 2 or before[1].key != "of" or before[0].kind not in ("name", "word"):
        return None
    return None if before[0].key in _SAME_THING else before[0]


def _has_word(token: Token, key: str) -> bool:
    return key in token.key.split() or (bool(token.key) and tokens_match(token, Token(key, key, "word", 0)))
