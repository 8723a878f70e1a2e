"""Divides a source into sections: text below a heading is about what the heading names (V2)."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from citewell_verify.facts.reading.korean import case_of
from citewell_verify.facts.reading.questions import asks_openly, is_question, what_is_asked_about
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.facts.reading.vocabulary import GENERIC, keys_of
from citewell_verify.facts.structure.headings import PERIOD, is_section_key, is_topic_heading, lines_with_headings
from citewell_verify.facts.structure.terms import CLASSES, Term, TermIndex, is_among, most_specific, terms, terms_of
from citewell_verify.text.cache import text_cache

_MOST_SECTIONS = 400
_LONGEST_NAME = 4  # words of a heading that is a name
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

    `headings` are those that it names; `heading` is all of them in one text.
    `subsections` are the parts of `text`, each with the headings above it that name a thing and that the statement does
    not name. `other_sections` are those below other headings; `is_exclusive`: what they say does not apply to this
    section, because its heading names a thing or a time, as "Before 2020", not a topic, or because it has alternatives
    (`alternative_headings`). `is_partial`: the statement has only a part of the name, as "the X100" of "X100 Pro",
    which no other heading has.
    """

    headings: tuple[str, ...]
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
    found: list[Section] = []
    path: list[tuple[int, str]] = []
    body: list[str] = []
    for line, heading in lines_with_headings(text):
        if heading is None:
            body.append(line)
            continue
        if path and any(map(str.strip, body)):
            found.append(Section(tuple(each for _, each in path), "\n".join(body)))
        path = [each for each in path if each[0] < heading[0]] + [heading]
        body = [heading[1]] if is_question(heading[1]) else []
    if path and any(map(str.strip, body)):
        found.append(Section(tuple(each for _, each in path), "\n".join(body)))
    return tuple(found[:_MOST_SECTIONS])


def named_section(tokens: Sequence[Token], text: str) -> NamedSection | None:
    sections = parse_sections(text)
    index = TermIndex(terms(tokens))
    headings = list(dict.fromkeys(each for section in sections for each in section.path))
    full = most_specific([heading for heading in headings if _is_named(heading, tokens, index)], lambda each: each)
    in_part = [] if full else _partially_named(tokens, index, headings, alternative_headings(text))
    chosen = full or in_part
    own = [section for section in sections if _has_each(section.path, chosen)]
    others = tuple(section for section in sections if not set(chosen) & set(section.path))
    if not chosen or not own:
        return None
    names = tuple(term for heading in chosen for term in _known_terms(heading))
    return NamedSection(
        headings=tuple(chosen),
        heading=" ".join(chosen),
        mention=" ".join(token.text for token in tokens if is_in_name(token, names)),
        name_terms=names,
        text="\n".join(each.text for each in own),
        subsections=tuple(Section(tuple(_unnamed_headings(each.path, chosen, index)), each.text) for each in own),
        remainder=tuple(_without_name(tokens, names)),
        other_sections=others,
        is_exclusive=any(_is_name(token) for token in tokens if is_in_name(token, names))
        or any(map(_relation_words, chosen))
        or not alternative_headings(text).isdisjoint(chosen),
        is_partial=bool(in_part),
    )


def _has_each(path: Sequence[str], chosen: Sequence[str]) -> bool:
    names = [frozenset(term.key for term in naming_terms(each)) | _relation_words(each) for each in chosen]
    above = {name for each, name in zip(chosen, names, strict=True) if each in path}
    return above.issuperset(names)


@text_cache()
def alternative_headings(text: str) -> frozenset[str]:
    """Return the headings that divide their matter into alternatives with others below the same heading.

    They differ in one word, as "Full-time staff" and "Part-time staff", or have a heading in common below them.
    """
    below: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for section in parse_sections(text):
        for depth, heading in enumerate(section.path):
            below[section.path[:depth]].add(heading)
    found: set[str] = set()
    for path, headings in below.items():
        alike: dict[object, set[str]] = defaultdict(set)
        for heading in headings:
            words = [each for each in heading.casefold().split() if each not in _ARTICLES]
            for at in range(len(words) if len(words) > 1 else 0):
                alike[(*words[:at], "", *words[at + 1 :])].add(heading)
            for each in below.get((*path, heading), ()):
                alike[each].add(heading)
        found.update(*(each for each in alike.values() if len(each) > 1))
    return frozenset(found)


def _is_named(heading: str, tokens: Sequence[Token], index: TermIndex) -> bool:
    naming = naming_terms(heading)
    return (
        index.has_all(naming)
        and _relation_words(heading) <= {token.key for token in tokens}
        and (is_question(heading) or all(_is_mentioned(each.token, tokens) for each in naming))
    )


def _is_mentioned(wanted: Token, tokens: Sequence[Token]) -> bool:
    if wanted.kind != "word":
        return True
    written = {form for token in tokens for form in _noun_forms(token.text)}
    return bool(written & set(_noun_forms(wanted.text))) and not _PARTICIPLE.search(wanted.text)


def _relation_words(heading: str) -> set[str]:
    return {each.key for each in tokenize(heading) if each.key in _RELATIONS}


def _noun_forms(text: str) -> Iterator[str]:
    # As written, plural or singular, and the stem of a Korean one.
    for word in text.casefold().split():
        plain = word.removesuffix("'s")
        yield plain
        yield f"{plain}s" if not plain.endswith("s") else plain[:-1]
        if case_of(word):
            yield from (word[:-1], word[:-2])


def _unnamed_headings(path: Sequence[str], chosen: Sequence[str], index: TermIndex) -> Iterator[str]:
    last = max(at for at, each in enumerate(path) if each in chosen)
    known = [term for each in chosen for term in _known_terms(each)]
    below = [each for each in path[last + 1 :] if not (is_topic_heading(each) or _asks_for_aspect(each))]
    own = ((each, [term for term in naming_terms(each) if not is_among(term, known)]) for each in below)
    return (each for each, naming in own if not any(index.has_all([term]) for term in naming))


def _asks_for_aspect(heading: str) -> bool:
    # "Is it waterproof?", "How to get around" name no thing.
    return asks_openly(heading) and not any(term.token.kind == "name" for term in naming_terms(heading))


def naming_terms(heading: str) -> Sequence[Term]:
    """Return the terms of a heading that name something: "Berlin" of "City of Berlin", "R2" of "Robot R2".

    Of a question they are those of what it asks about.
    """
    whole = terms_of(heading)
    if is_question(heading):
        matter = what_is_asked_about(heading)
        return [each for each in whole if each.token in matter]
    if dated := [each for each in whole if each.token.value and each.token.value.date]:
        return dated if all(each in dated or each.key in PERIOD for each in whole) else whole
    has_number = any(each.token.kind == "name" and _DIGIT.search(each.key) for each in whole)
    classes = CLASSES if has_number else _CLASSES
    named = [each for each in whole if each.key not in classes and not is_section_key(each.key)]
    return named if any(_may_name(each.token) for each in named) else whole


def _known_terms(heading: str) -> Sequence[Term]:
    """Return the terms that need not stand in the text below a heading; a question is a part of that text."""
    return naming_terms(heading) if is_question(heading) else terms_of(heading)


def _partially_named(
    tokens: Sequence[Token], index: TermIndex, headings: Sequence[str], alternatives: Collection[str]
) -> list[str]:
    """Return the one heading of which the statement has a name that no other heading has; [] if there is none.

    Of alternatives the word in which they differ is a name, as "full-time" of "Full-time staff".
    """
    by_name: dict[str, set[str]] = defaultdict(set)
    for heading in headings:
        naming = naming_terms(heading)
        for each in naming if len(naming) <= _LONGEST_NAME else ():
            if (
                (_may_name(each.token) or heading in alternatives)
                and index.has_all([each])
                and _is_mentioned(each.token, tokens)
            ):
                by_name[each.key].add(heading)
    found = {heading for sharing in by_name.values() if len(sharing) == 1 for heading in sharing}
    return list(found) if len(found) == 1 else []


def _may_name(token: Token) -> bool:
    return not token.value and (token.kind == "name" or token.text[:1].isupper())


def _without_name(tokens: Sequence[Token], names: Sequence[Term]) -> Iterator[Token]:
    """Yield the tokens except the names, and the preposition that links one to its property: "the profit of Acme"."""
    for token, following in zip(tokens, (*tokens[1:], None), strict=True):
        joins = token.key in _OWNER and following is not None and is_in_name(following, names)
        if not joins and not is_in_name(token, names):
            yield token


def is_in_name(token: Token, names: Sequence[Term]) -> bool:
    found = terms([token])
    return bool(found) and all(is_among(each, names) for each in found)


def _is_name(token: Token) -> bool:
    return token.kind == "name" or token.case in ("owner", "topic", "subject")
