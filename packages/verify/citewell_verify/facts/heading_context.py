"""Puts the headings and column names that apply to a passage in front of it, so that they count as its words (V2,
V4, V6)."""

import re
from collections.abc import Iterator, Sequence

from citewell_verify.facts.comparison.source import identifiers_in
from citewell_verify.facts.reading.tokens import tokenize
from citewell_verify.facts.structure.headings import is_naming_token
from citewell_verify.facts.structure.sections import parse_sections
from citewell_verify.facts.structure.terms import Term, TermIndex, terms
from citewell_verify.text.context_lines import headings_of, joined, with_columns

_NUMBER = re.compile(r"\d+")


def with_headings(statement: str, text: str, context: str) -> str:
    """Return `text` preceded by the headings and column names of its `context` that may name the subject of
    `statement`.

    The innermost heading that names a thing is the subject of the text: in "Germany › Berlin" the text is not about
    Germany unless the statement also names Berlin. A heading with a value, such as "Report 2024", does not date the
    text below it. The result ends with `text`.
    """
    headed = with_columns(text, context)
    undated = [
        heading
        for heading in active_headings(headings_of(context))
        if not any(token.value for token in tokenize(heading))
    ]
    above = _relevant_headings(statement, undated)
    return "".join(f"{heading}\n\n" for heading in above) + headed


def with_outer_headings(statement: str, text: str, context: str) -> str:
    """Do the same as `with_headings` for a `text` without headings of its own; else add only the column names.

    A heading within the text may begin a subsection or an unrelated section; `context` does not show which.
    """
    return with_columns(text, context) if parse_sections(text) else with_headings(statement, text, context)


def active_headings(path: Sequence[str]) -> tuple[str, ...]:
    """Return the headings of a `path`, outermost first, that still apply at its end.

    A heading ends the section of an earlier heading of the same form: text below "X100 › X200" is about X200, and text
    below "Berlin office › Hamburg office" is about Hamburg's office.
    """
    later: set[str] = set()
    active: list[str] = []
    for heading in reversed(path):
        forms = set(_heading_patterns(heading))
        if not forms & later:
            active.append(heading)
        later |= forms
    return tuple(reversed(active))


def name_pattern(name: str) -> str:
    """Return what a name shares with others of its series: everything but the digits."""
    return _NUMBER.sub("#", name.casefold())


def active_context(context: str) -> str:
    """Return `context` without the headings that later headings of the same form have ended."""
    _, _, columns = context.partition("\n")
    kept = active_headings(headings_of(context))
    return "\n".join((joined(kept), columns)).strip("\n") if kept else context


def _heading_patterns(heading: str) -> Iterator[str]:
    """Yield what headings of one form have in common: all but the digits, or the last of several words."""
    if _NUMBER.search(heading):
        yield name_pattern(heading)
        yield from map(name_pattern, identifiers_in(heading))
    words = heading.casefold().split()
    if len(words) > 1 and not _NUMBER.search(words[-1]):
        yield f"{len(words)} {words[-1]}"


def naming_terms(heading: str) -> tuple[Term, ...]:
    """Return the terms of a heading that name a thing; () if it only labels a part of a text or of a thing."""
    return tuple(terms([token for token in tokenize(heading) if is_naming_token(token)]))


def _relevant_headings(statement: str, path: Sequence[str]) -> Sequence[str]:
    """Return the headings that apply to the text, the innermost one that names a thing last, directly above the
    text."""
    last = next((at for at in reversed(range(len(path))) if naming_terms(path[at])), 0)
    is_named = bool(path) and TermIndex(terms(tokenize(statement))).has_all(naming_terms(path[last]))
    return [*path[last + 1 :], *(path[: last + 1] if is_named else path[last : last + 1])]
