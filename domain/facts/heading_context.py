"""A passage as if the headings and column heads that it stands below stood in it (V2, V4, V6)."""

import re
from collections.abc import Iterator, Sequence

from domain.documents.chunk_context import headings_of, joined, with_columns
from domain.facts.comparison.source import identifiers_in
from domain.facts.reading.tokens import tokenize
from domain.facts.structure.headings import is_naming_token
from domain.facts.structure.sections import parse_sections
from domain.facts.structure.terms import Term, TermIndex, terms

_NUMBER = re.compile(r"\d+")


def with_headings(statement: str, text: str, context: str) -> str:
    """Return `text` below the headings and columns of its `context` that may name what the `statement` is about.

    The innermost heading that names a thing is what a text is about: in "Germany › Berlin" a statement about Germany
    that does not name Berlin is not about that text. A heading with a value, "Report 2024", dates nothing below it. The
    text stands at the end of what is returned.
    """
    headed = with_columns(text, context)
    above = _relevant_headings(
        statement, [each for each in active_headings(headings_of(context)) if not _has_value(each)]
    )
    return "".join(f"{heading}\n\n" for heading in above) + headed


def with_outer_headings(statement: str, text: str, context: str) -> str:
    """Return what `below` does for a `text` without headings of its own; else `text` below its columns.

    Whether a heading in the text begins a part of what stands above it, or something else, is not known here.
    """
    return with_columns(text, context) if parse_sections(text) else with_headings(statement, text, context)


def active_headings(path: Sequence[str]) -> tuple[str, ...]:
    """Return the headings of a `path`, outermost first, that still hold at its end.

    What stands below "X100 › X200" is about X200, and below "Berlin office › Hamburg office" about Hamburg's: a heading
    ends what one of its form began.
    """
    later: set[str] = set()
    found: list[str] = []
    for heading in reversed(path):
        forms = set(_heading_patterns(heading))
        if not forms & later:
            found.append(heading)
        later |= forms
    return tuple(reversed(found))


def name_pattern(name: str) -> str:
    """Return what a name has in common with others of its kind: all but the digits."""
    return _NUMBER.sub("#", name.casefold())


def active_context(context: str) -> str:
    """Return a `context` without the headings that others of their form have ended."""
    _, _, columns = context.partition("\n")
    kept = active_headings(headings_of(context))
    return "\n".join((joined(kept), columns)).strip("\n") if kept else context


def _heading_patterns(heading: str) -> Iterator[str]:
    """What a heading shares with those of the same kind: all but its digits, or its last word of several."""
    if _NUMBER.search(heading):
        yield name_pattern(heading)
        yield from map(name_pattern, identifiers_in(heading))
    words = heading.casefold().split()
    if len(words) > 1 and not _NUMBER.search(words[-1]):
        yield f"{len(words)} {words[-1]}"


def naming_terms(heading: str) -> tuple[Term, ...]:
    """Return the words of a heading that name a thing; () where it only says what part of a text or thing is below."""
    return tuple(terms([each for each in tokenize(heading) if is_naming_token(each)]))


def _relevant_headings(statement: str, path: Sequence[str]) -> Sequence[str]:
    """The headings of a path that count, the innermost one that names a thing directly above the text."""
    last = next((at for at in reversed(range(len(path))) if naming_terms(path[at])), 0)
    is_named = bool(path) and TermIndex(terms(tokenize(statement))).has_all(naming_terms(path[last]))
    return [*path[last + 1 :], *(path[: last + 1] if is_named else path[last : last + 1])]


def _has_value(heading: str) -> bool:
    return any(each.value for each in tokenize(heading))
