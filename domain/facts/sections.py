"""Sections of a source: what stands below a heading is about what the heading names (V2)."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from domain.facts.terms import Term, Told, held, most_specific, terms, terms_of
from domain.facts.tokens import Token
from domain.facts.vocabulary import GENERIC, keys_of
from domain.remembering import remembered

_MOST_SECTIONS = 400
_MOST_LINE = 200
_LONGEST_NAME = 4  # words of a heading that is a name; longer ones are sentences
_BOLD, _BARE = 7, 8  # levels of headings without signs, below those of Markdown
_MARKED = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(\S[^\n]{0,120}?)[ \t#]*")
_IN_BOLD = re.compile(
    r"[ \t]*(?:\*\*|__)([^*_\n]{1,80})(?:\*\*|__):?[ \t]*"
    r"|[ \t]*[■▶●◆□][ \t]*([^.!?。\n]{1,60})|[ \t]*\[([^\]\n\d]{1,60})\][ \t]*"
)
_LINE = re.compile(r"[ \t]*([A-Z가-힣\d][^.!?。:;|,\n]{0,60}?):?[ \t]*")
_UNDERLINE = re.compile(r"[ \t]*(?:={3,}|-{3,})[ \t]*")
_STOPPED = re.compile(r"[.!?。][\"'”’)]*\s*$")
_OWNER = frozenset("of for in at from".split())
_NUMBERING = re.compile(
    r"(?:(?:chapter|section|part|appendix|article)\s+)?(?:\d{1,3}(?:\.\d{1,3}){0,3}|[IVX]{1,5}|[A-Za-z가-하])[.):]\s+"
    r"|제\s?\d{1,3}\s?[장절조항편부][.:]?\s+|\d{1,3}(?:\.\d{1,3}){1,3}\s+|[①-⑳]\s*",
    re.IGNORECASE,
)
_CLASSES = GENERIC | keys_of("model town village municipality 모델")
_PERIOD = keys_of("fiscal financial year ended ending quarter fy 회계연도 회계 연도 사업연도")


@dataclass(frozen=True, slots=True)
class Section:
    """`text` below the headings of `path`, the last one directly above it."""

    path: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class NamedSection:
    """The section that a statement names with the words `named`: `own` is its text, `rest` what else it says.

    `others` are the sections of other headings; `is_name` says that the heading names something, not a topic.
    `in_part` says that the statement has only a part of the name, as "the X100" of "X100 Pro", which no other has.
    """

    heading: str
    named: str
    names: tuple[Term, ...]
    own: str
    rest: tuple[Token, ...]
    others: tuple[Section, ...]
    is_name: bool
    in_part: bool


@remembered()
def read_sections(text: str) -> tuple[Section, ...]:
    """Return the sections of `text` that have a heading and a text, at most 400. Linear in its length."""
    found: list[Section] = []
    path: list[tuple[int, str]] = []
    body: list[str] = []
    for line, heading in _headings(text):
        if heading is None:
            body.append(line)
            continue
        if path and any(map(str.strip, body)):
            found.append(Section(tuple(each for _, each in path), "\n".join(body)))
        path = [each for each in path if each[0] < heading[0]] + [heading]
        body = []
    if path and any(map(str.strip, body)):
        found.append(Section(tuple(each for _, each in path), "\n".join(body)))
    return tuple(found[:_MOST_SECTIONS])


@remembered()
def read_headings(text: str) -> frozenset[str]:
    """Return the lines of `text` that are headings, without the space around them."""
    return frozenset(line.strip() for line, heading in _headings(text) if heading is not None)


def path_at(text: str, position: int) -> tuple[str, ...]:
    """Return the headings that `text[position]` stands below, the outermost first."""
    ends, paths = _paths(text)
    at = bisect_right(ends, position) - 1
    return paths[at] if at >= 0 else ()


@remembered()
def _paths(text: str) -> tuple[Sequence[int], Sequence[tuple[str, ...]]]:
    """Where each heading ends, and the headings that what follows stands below."""
    ends: list[int] = []
    paths: list[tuple[str, ...]] = []
    path: list[tuple[int, str]] = []
    position = 0
    for written, (line, heading) in zip(text.splitlines(keepends=True), _headings(text), strict=True):
        position += len(written)
        if heading is not None:
            path = [each for each in path if each[0] < heading[0]] + [(heading[0], line)]
            ends.append(position)
            paths.append(tuple(each for _, each in path))
    return ends, paths


def lines_apart(sentence: str, headings: Collection[str]) -> list[str]:
    """Return a sentence, and the headings before it that were read as a part of it, each by itself."""
    lines = sentence.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip() not in headings), len(lines))
    return [*lines[:first], *(["\n".join(lines[first:])] if first < len(lines) else [])]


def told_below(heading: Sequence[Token], stated: Collection[str]) -> list[Token]:
    """Return what a heading tells of the text below it, for a statement with the keys `stated` (V4).

    Its dates do where it is a period, or the statement says the rest of it as well: "Report 2024" dates nothing that
    the report tells. Its other numbers do not.
    """
    dates = all(each.value or each.key in _PERIOD or each.key in stated for each in heading if each.matters)
    return [each for each in heading if not each.value or (dates and each.value.date)]


def _headings(text: str) -> Iterator[tuple[str, tuple[int, str] | None]]:
    """Yield each line, with its level and words where it is a heading."""
    lines = text.splitlines()
    before = ""
    for line, following in pairwise((*lines, "")):
        yield line, _heading(before, line, following)
        before = line


def _heading(before: str, line: str, following: str) -> tuple[int, str] | None:
    if len(line) > _MOST_LINE:
        return None
    if marked := _MARKED.fullmatch(line):
        return len(marked[1]), _unnumbered(marked[2].strip(" *_"))
    if bold := _IN_BOLD.fullmatch(line):
        return _BOLD, _unnumbered(next(each for each in bold.groups() if each).strip())
    if not before.strip() and (bare := _LINE.fullmatch(_unnumbered(line))):
        if following.strip() and _UNDERLINE.fullmatch(following):
            return (1 if "=" in following else 2), bare[1]
        if not following.strip() or _STOPPED.search(following):
            return _BARE, bare[1]
    return None


def _unnumbered(heading: str) -> str:
    """Return a heading without its number: "3.1 Batteries", "제3장 배터리"; one that is nothing else stays."""
    plain = heading.lstrip()
    numbering = _NUMBERING.match(plain)
    return plain[numbering.end() :] or heading if numbering else heading


def named_section(tokens: Sequence[Token], text: str) -> NamedSection | None:
    """Return the section whose heading the statement names; None for none, or for headings beside each other."""
    sections = read_sections(text)
    told = Told(terms(tokens))
    headings = list(dict.fromkeys(each for section in sections for each in section.path))
    named = most_specific([each for each in headings if told.has(_naming(each))], lambda each: each)
    in_part = [] if named else _named_in_part(told, headings)
    chosen = named or in_part
    own = [section for section in sections if set(chosen) <= set(section.path)]
    others = tuple(section for section in sections if not set(chosen) & set(section.path))
    if not chosen or not own:
        return None
    names = tuple(each for heading in chosen for each in terms_of(heading))
    return NamedSection(
        heading=" ".join(chosen),
        named=" ".join(each.text for each in tokens if is_of(each, names)),
        names=names,
        own="\n".join(each.text for each in own),
        rest=tuple(_without(tokens, names)),
        others=others,
        is_name=any(_is_name(each) for each in tokens if is_of(each, names)),
        in_part=bool(in_part),
    )


def _naming(heading: str) -> Sequence[Term]:
    """The terms of a heading that name something: "Berlin" of "City of Berlin", "2024" of "Fiscal year 2024"."""
    whole = terms_of(heading)
    if dated := [each for each in whole if each.token.value and each.token.value.date]:
        return dated if all(each in dated or each.key in _PERIOD for each in whole) else whole
    named = [each for each in whole if each.key not in _CLASSES]
    return named if any(_may_name(each.token) for each in named) else whole


def _named_in_part(told: Told, headings: Sequence[str]) -> list[str]:
    """The one heading of which the statement has a name that no other heading has."""
    by_name: dict[str, set[str]] = defaultdict(set)
    for heading in headings:
        naming = _naming(heading)
        for each in naming if len(naming) <= _LONGEST_NAME else ():
            if _may_name(each.token) and told.has([each]):
                by_name[each.key].add(heading)
    found = {heading for sharing in by_name.values() if len(sharing) == 1 for heading in sharing}
    return list(found) if len(found) == 1 else []


def _may_name(token: Token) -> bool:
    return not token.value and (token.kind == "name" or token.text[:1].isupper())


def _without(tokens: Sequence[Token], names: Sequence[Term]) -> Iterator[Token]:
    """The tokens but for the names, and for the word that joins one to what it owns: "the profit of Acme"."""
    for token, following in zip(tokens, (*tokens[1:], None), strict=True):
        joins = token.key in _OWNER and following is not None and is_of(following, names)
        if not joins and not is_of(token, names):
            yield token


def is_of(token: Token, names: Sequence[Term]) -> bool:
    found = terms([token])
    return bool(found) and all(held(each, names) for each in found)


def _is_name(token: Token) -> bool:
    return token.kind == "name" or token.case in ("owner", "topic", "subject")
