"""Tests whether a sentence below a heading is about what the heading names, or about a part of it or another thing
(V2).

Below "X100", "It weighs 7 kg" and "The device weighs 7 kg" are about the X100; "The battery weighs 2 kg" and "Profit
was 5 million" are not. "The <noun>" refers to the heading if the noun is a class that it may belong to.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import takewhile

from citewell_verify.facts.reading.tokens import Token
from citewell_verify.facts.structure.sections import is_in_name
from citewell_verify.facts.structure.terms import CLASSES, Term

_PREPOSITIONS = frozenset(
    "after at before between by during for from in into near on over since through to under with".split()
)
_THIS = frozenset("this these 이 그 해당 본".split())
_DEFINITE = _THIS | frozenset("the that those such 동".split())
_OWNED = frozenset("its their his her 그의".split())
_PERSONAL = frozenset("it he she they we i you one ones".split())
_AUXILIARY = frozenset("is are was were be been has have had do does did will would can could may might must".split())
_IS, _ARTICLES = frozenset("is was are were".split()), frozenset("a an the".split())
_NOUNS = ("name", "word")


def competing_subject(
    statement: Sequence[Token],
    sentence: Sequence[Token],
    matched: Collection[int],
    names: Sequence[Term],
    classes: Collection[str] | None = None,
) -> Token | None:
    """Return the subject of `sentence`, or its possessor, where the statement has the heading's `names`; else None.

    `matched` are the indexes of the sentence's tokens that the statement has. `classes` are the keys of the nouns that
    may refer to what the heading names; None for all `CLASSES`.
    """
    if not matched:
        return None
    allowed = CLASSES if classes is None else classes

    def is_other(at: int) -> bool:
        token = sentence[at]
        refers = _class_key(token) in allowed or _key(sentence, at - 1) in _THIS
        return at not in matched and token.kind in _NOUNS and not is_in_name(token, names) and not refers

    if _is_about_possession(statement, names):
        position = next((at for at in range(max(matched)) if _is_possessor(sentence, at) and is_other(at)), None)
    else:
        subject = subject_of(sentence) if _is_topic_of(statement, names) else None
        position = subject if subject is not None and subject < min(matched) and is_other(subject) else None
    return None if position is None else sentence[position]


def subject_classes(sentences: Sequence[Sequence[Token]]) -> Sequence[str]:
    keys = [
        _class_key(token)
        for tokens in sentences
        for at, token in enumerate(tokens)
        if at == subject_of(tokens) or _is_possessor(tokens, at)
    ]
    return tuple(dict.fromkeys(key for key in keys if key in CLASSES))


def stated_classes(sentences: Iterable[Sequence[Token]], names: Sequence[Term]) -> frozenset[str]:
    classes: set[str] = set()
    for tokens in sentences:
        first = next((at for at, token in enumerate(tokens) if token.is_content), None)
        if first is None or not is_in_name(tokens[first], names):
            continue
        said = [token for token in tokens[first + 1 :] if not is_in_name(token, names)]
        if _is_korean(tokens[-1]):
            classes.add(said[-1].key if said else "")
        elif said and said[0].key in _IS and len(said) > 1 and said[1].key in _ARTICLES:
            nouns = list(takewhile(lambda token: token.is_content, said[2:]))
            classes.update(noun.key for noun in nouns[-1:])
    return frozenset(classes)


def subject_of(sentence: Sequence[Token]) -> int | None:
    for at, token in enumerate(sentence):
        if token.key in _PERSONAL or token.value:
            return None
        if token.kind in _NOUNS and not token.text.endswith("ly") and _is_subject(sentence, at):
            return at
    return None


def _class_key(token: Token) -> str:
    plain = token.text[:-1]
    return plain if token.case and plain in CLASSES else token.key


def _is_about_possession(statement: Sequence[Token], names: Sequence[Term]) -> bool:
    """Return whether a statement is about something that the heading's thing has: "the profit of Acme", "Acme's …"."""
    at = [index for index, token in enumerate(statement) if is_in_name(token, names)]
    if not at:
        return False
    return _follows_of(statement, at[0]) or _is_genitive(statement[at[-1]])


def _is_topic_of(statement: Sequence[Token], names: Sequence[Term]) -> bool:
    """Return whether the names are the statement's subject, and no noun follows them: "the X100 battery is"."""
    first = next((at for at, token in enumerate(statement) if token.is_content), None)
    if first is None or not is_in_name(statement[first], names):
        return False
    behind = next((at for at in range(first, len(statement)) if not is_in_name(statement[at], names)), len(statement))
    if _is_korean(statement[behind - 1]):
        return statement[behind - 1].case in ("subject", "topic")
    followed = behind + 1 < len(statement) and statement[behind].is_content and statement[behind + 1].key in _AUXILIARY
    return not followed


def _is_possessor(tokens: Sequence[Token], at: int) -> bool:
    return _is_genitive(tokens[at]) or _follows_of(tokens, at)


def _is_genitive(token: Token) -> bool:
    return token.case == "owner" or token.text.endswith(("'s", "’s", "s'"))


def _follows_of(tokens: Sequence[Token], at: int) -> bool:
    before = _key(tokens, at - 1)
    return "of" in (before, _key(tokens, at - 2) if before in _DEFINITE else "")


def _is_subject(tokens: Sequence[Token], at: int) -> bool:
    if _is_korean(tokens[at]):
        return tokens[at].case in ("subject", "topic")
    before = _key(tokens, at - 1)
    return not ({before, _key(tokens, at - 2) if before in _DEFINITE | _OWNED else ""} & _PREPOSITIONS)


def _key(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].key if 0 <= at < len(tokens) else ""


def _is_korean(token: Token) -> bool:
    return bool(token.case) or "가" <= token.text[-1:] <= "힣"
