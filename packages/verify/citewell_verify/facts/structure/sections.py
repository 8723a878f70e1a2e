"""Divides a source into sections: text below a heading is about what the heading names (V2).

Below "X100", "It weighs 7 kg" and "The device weighs 7 kg" are about the X100; "The battery weighs 2 kg" and "Profit
was 5 million" are not. "The <noun>" refers to the heading if the noun is a class that it may belong to.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from citewell_verify.facts.reading.korean import case_of
from citewell_verify.facts.reading.questions import asks_openly, is_question, what_is_asked_about
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.facts.reading.vocabulary import GENERIC, keys_of
from citewell_verify.facts.structure.headings import PERIOD, is_section_key, is_topic_heading, lines_with_headings
from citewell_verify.facts.structure.terms import CLASSES, Term, TermIndex, is_among, most_specific, terms, terms_of
from citewell_verify.text.cache import text_cache

_MOST_SECTIONS = 400
_LONGEST_NAME = 4  # the most words of a heading that is a name
_RELATIONS = frozenset("before after during without until outside inside under over except non 전 후 이전 이후".split())
_DIGIT = re.compile(r"\d")
_PARTICIPLE = re.compile("(?<=[a-z]{3})ed$")
_ARTICLES = frozenset("a an the".split())
_OWNER = frozenset("of for in at from".split())
_CLASSES = GENERIC | keys_of("model town village municipality 모델")


@dataclass(frozen=True, slots=True)
class Section:
    """`text` below the headings of `path`, the last of which is directly above it."""

    path: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class NamedSection:
    """The section that a statement names with the words `mention`; `remainder` is the rest of the statement.

    `heading` has the headings that it names in one text.
    `subsections` are the parts of `text`, each with the headings above it that name a thing and that the statement does
    not name. `other_sections` are the sections below other headings; `is_exclusive`: their statements do not apply to
    this section, because its heading names a thing or a time, as "Before 2020", not a topic. `is_partial`: the
    statement has only a part of the name, as "the X100" of "X100 Pro", which no other heading has.
    """

    heading: str
    mention: str
    name_terms: tuple[Term, ...]
    text: str
    subsections: tuple[Section, ...]
    remainder: tuple[Token, ...]
    other_sections: tuple[Section, ...]
    is_exclusive: bool
    is_partial: bool


@text_cache()
def parse_sections(text: str) -> tuple[Section, ...]:
    """Return the sections of `text` with a heading and a text, at most 400. Linear in its length.

    A question that is a heading also begins its text: the first sentence below answers it.
    """
    sections: list[Section] = []
    path: list[tuple[int, str]] = []
    body: list[str] = []
    for line, heading in lines_with_headings(text):
        if heading is None:
            body.append(line)
            continue
        if path and any(map(str.strip, body)):
            sections.append(Section(tuple(heading_above for _, heading_above in path), "\n".join(body)))
        path = [above for above in path if above[0] < heading[0]] + [heading]
        body = [heading[1]] if is_question(heading[1]) else []
    if path and any(map(str.strip, body)):
        sections.append(Section(tuple(heading_above for _, heading_above in path), "\n".join(body)))
    return tuple(sections[:_MOST_SECTIONS])


def named_section(tokens: Sequence[Token], text: str) -> NamedSection | None:
    sections = parse_sections(text)
    index = TermIndex(terms(tokens))
    headings = list(dict.fromkeys(heading for section in sections for heading in section.path))
    full = most_specific([heading for heading in headings if _is_named(heading, tokens, index)], lambda name: name)
    in_part = [] if full else _partially_named(tokens, index, headings)
    chosen = full or in_part
    # The path of such a section has a heading for each of the chosen names; several headings may have the same name.
    by_heading = {
        heading: frozenset(term.key for term in naming_terms(heading)) | _relation_words(heading) for heading in chosen
    }
    wanted = set(by_heading.values())
    own = [
        section
        for section in sections
        if wanted == {by_heading[above] for above in section.path if above in by_heading}
    ]
    others = tuple(section for section in sections if not set(chosen) & set(section.path))
    if not chosen or not own:
        return None
    names = tuple(term for heading in chosen for term in _known_terms(heading))
    return NamedSection(
        heading=" ".join(chosen),
        mention=" ".join(token.text for token in tokens if is_in_name(token, names)),
        name_terms=names,
        text="\n".join(section.text for section in own),
        subsections=tuple(
            Section(tuple(_unnamed_headings(section.path, chosen, index)), section.text) for section in own
        ),
        remainder=tuple(_without_name(tokens, names)),
        other_sections=others,
        is_exclusive=any(
            token.kind == "name" or token.case in ("owner", "topic", "subject")
            for token in tokens
            if is_in_name(token, names)
        )
        or any(map(_relation_words, chosen)),
        is_partial=bool(in_part),
    )


def _is_named(heading: str, tokens: Sequence[Token], index: TermIndex) -> bool:
    naming = naming_terms(heading)
    return (
        index.has_all(naming)
        and _relation_words(heading) <= {token.key for token in tokens}
        and (is_question(heading) or all(_is_mentioned(term.token, tokens) for term in naming))
    )


def _is_mentioned(wanted: Token, tokens: Sequence[Token]) -> bool:
    if wanted.kind != "word":
        return True
    written = {form for token in tokens for form in _noun_forms(token.text)}
    return bool(written & set(_noun_forms(wanted.text))) and not _PARTICIPLE.search(wanted.text)


def _relation_words(heading: str) -> set[str]:
    return {token.key for token in tokenize(heading) if token.key in _RELATIONS}


def _noun_forms(text: str) -> Iterator[str]:
    """Yield each word as written, its plural or singular, and the stem of a Korean word."""
    for word in text.casefold().split():
        plain = word.removesuffix("'s")
        yield plain
        yield f"{plain}s" if not plain.endswith("s") else plain[:-1]
        if case_of(word):
            yield from (word[:-1], word[:-2])


def _unnamed_headings(path: Sequence[str], chosen: Sequence[str], index: TermIndex) -> Iterator[str]:
    last = max(at for at, heading in enumerate(path) if heading in chosen)
    known = [term for heading in chosen for term in _known_terms(heading)]
    for heading in path[last + 1 :]:
        naming = naming_terms(heading)
        # Such a heading asks something and names no thing: "Is it waterproof?", "How to get around".
        asks_for_aspect = asks_openly(heading) and not any(term.token.kind == "name" for term in naming)
        if is_topic_heading(heading) or asks_for_aspect:
            continue
        if not any(index.has_all([term]) for term in naming if not is_among(term, known)):
            yield heading


def naming_terms(heading: str) -> Sequence[Term]:
    """Return the terms of a heading that name something: "Berlin" of "City of Berlin", "R2" of "Robot R2".

    For a question, these are the terms of the thing that it asks about.
    """
    whole = terms_of(heading)
    if is_question(heading):
        matter = what_is_asked_about(heading)
        return [term for term in whole if term.token in matter]
    if dated := [term for term in whole if term.token.value and term.token.value.date]:
        return dated if all(term in dated or term.key in PERIOD for term in whole) else whole
    has_number = any(term.token.kind == "name" and _DIGIT.search(term.key) for term in whole)
    classes = CLASSES if has_number else _CLASSES
    named = [term for term in whole if term.key not in classes and not is_section_key(term.key)]
    return named if any(_may_name(term.token) for term in named) else whole


def _known_terms(heading: str) -> Sequence[Term]:
    """Return the terms of a heading that the text below it need not repeat. For a question, which is a part of that
    text, these are only the terms that name something.
    """
    return naming_terms(heading) if is_question(heading) else terms_of(heading)


def _partially_named(tokens: Sequence[Token], index: TermIndex, headings: Sequence[str]) -> list[str]:
    """Return the only heading of which the statement has a name that no other heading has; [] if there is none."""
    by_name: dict[str, set[str]] = defaultdict(set)
    for heading in headings:
        naming = naming_terms(heading)
        for term in naming if len(naming) <= _LONGEST_NAME else ():
            if _may_name(term.token) and index.has_all([term]) and _is_mentioned(term.token, tokens):
                by_name[term.key].add(heading)
    headings_named = {heading for sharing in by_name.values() if len(sharing) == 1 for heading in sharing}
    return list(headings_named) if len(headings_named) == 1 else []


def _may_name(token: Token) -> bool:
    return not token.value and (token.kind == "name" or token.text[:1].isupper())


def _without_name(tokens: Sequence[Token], names: Sequence[Term]) -> Iterator[Token]:
    """Yield the tokens except the names, and the preposition that links one to its property: "the profit of Acme"."""
    for token, following in zip(tokens, (*tokens[1:], None), strict=True):
        joins = token.key in _OWNER and following is not None and is_in_name(following, names)
        if not joins and not is_in_name(token, names):
            yield token


def is_in_name(token: Token, names: Sequence[Term]) -> bool:
    own = terms([token])
    return bool(own) and all(is_among(term, names) for term in own)


_PREPOSITIONS = frozenset(
    "after at before between by during for from in into near on over since through to under with".split()
)
_THIS = frozenset("this these 이 그 해당 본".split())
_DEFINITE = _THIS | frozenset("the that those such 동".split())
_OWNED = frozenset("its their his her 그의".split())
_PERSONAL = frozenset("it he she they we i you one ones".split())
_AUXILIARY = frozenset("is are was were be been has have had do does did will would can could may might must".split())
_IS = frozenset("is was are were".split())
_NOUNS = ("name", "word")


def competing_subject(
    statement: Sequence[Token],
    sentence: Sequence[Token],
    matched: Collection[int],
    names: Sequence[Term],
    classes: Collection[str] | None = None,
) -> Token | None:
    """Return the subject of `sentence`, or its possessor, if it stands in the place of the heading's `names` in the
    statement; else None.

    `matched` are the indexes of the sentence's tokens that the statement has. `classes` are the keys of the nouns that
    may refer to the thing that the heading names; None for all `CLASSES`.
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
        if token.kind not in _NOUNS or token.text.endswith("ly"):
            continue
        before = _key(sentence, at - 1)
        prepositions = {before, _key(sentence, at - 2) if before in _DEFINITE | _OWNED else ""} & _PREPOSITIONS
        if token.case in ("subject", "topic") if _is_korean(token) else not prepositions:
            return at
    return None


def _class_key(token: Token) -> str:
    plain = token.text[:-1]
    return plain if token.case and plain in CLASSES else token.key


def _is_about_possession(statement: Sequence[Token], names: Sequence[Term]) -> bool:
    """Return whether a statement is about a property of the heading's thing: "the profit of Acme", "Acme's …"."""
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


def _key(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].key if 0 <= at < len(tokens) else ""


def _is_korean(token: Token) -> bool:
    return bool(token.case) or "가" <= token.text[-1:] <= "힣"
