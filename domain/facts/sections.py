"""Sections of a source: what stands below a heading is about what the heading names (V2)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from domain.facts.terms import Term, Told, held, most_specific, terms, terms_of
from domain.facts.tokens import Token
from domain.remembering import remembered

_MOST_SECTIONS = 400
_MOST_LINE = 200
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


@dataclass(frozen=True, slots=True)
class Section:
    """`text` below the headings of `path`, the last one directly above it."""

    path: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class NamedSection:
    """The section that a statement names: `own` is its text, `rest` what the statement says besides its heading.

    `others` are the sections of other headings; `is_name` says that the heading names something, not a topic.
    """

    heading: str
    own: str
    rest: tuple[Token, ...]
    others: tuple[Section, ...]
    is_name: bool


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
        return len(marked[1]), marked[2].strip(" *_")
    if bold := _IN_BOLD.fullmatch(line):
        return _BOLD, next(each for each in bold.groups() if each).strip()
    if not before.strip() and (bare := _LINE.fullmatch(line)):
        if following.strip() and _UNDERLINE.fullmatch(following):
            return (1 if "=" in following else 2), bare[1]
        if not following.strip() or _STOPPED.search(following):
            return _BARE, bare[1]
    return None


def named_section(tokens: Sequence[Token], text: str) -> NamedSection | None:
    """Return the section whose heading the statement names; None for none, or for headings beside each other."""
    sections = read_sections(text)
    if len(sections) < 2:
        return None
    told = Told(terms(tokens))
    headings = list(dict.fromkeys(each for section in sections for each in section.path))
    named = most_specific([each for each in headings if told.has(terms_of(each))], lambda each: each)
    own = [section for section in sections if set(named) <= set(section.path)]
    others = tuple(section for section in sections if not set(named) & set(section.path))
    if not named or not own or not others:
        return None
    names = [each for heading in named for each in terms_of(heading)]
    return NamedSection(
        heading=" ".join(named),
        own="\n".join(each.text for each in own),
        rest=tuple(_without(tokens, names)),
        others=others,
        is_name=any(_is_name(each) for each in tokens if _is_of(each, names)),
    )


def _without(tokens: Sequence[Token], names: Sequence[Term]) -> Iterator[Token]:
    """The tokens but for the names, and for the word that joins one to what it owns: "the profit of Acme"."""
    for token, following in zip(tokens, (*tokens[1:], None), strict=True):
        joins = token.key in _OWNER and following is not None and _is_of(following, names)
        if not joins and not _is_of(token, names):
            yield token


def _is_of(token: Token, names: Sequence[Term]) -> bool:
    found = terms([token])
    return bool(found) and all(held(each, names) for each in found)


def _is_name(token: Token) -> bool:
    return token.kind == "name" or token.case in ("owner", "topic", "subject")
