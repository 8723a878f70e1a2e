"""A passage as if the headings and column heads that it stands below stood in it (V2, V4, V6)."""

import re
from collections.abc import Iterator, Sequence

from domain.documents.chunk_context import below_columns, headings_of, joined
from domain.facts.comparison.source import identifiers_in
from domain.facts.reading.tokens import read_tokens
from domain.facts.structure.headings import is_named_by_heading
from domain.facts.structure.sections import read_sections
from domain.facts.structure.terms import Term, Told, terms

_NUMBER = re.compile(r"\d+")


def below(statement: str, text: str, context: str) -> str:
    """Return `text` below the headings and columns of its `context` that may name what the `statement` is about.

    The innermost heading that names a thing is what a text is about: in "Germany › Berlin" a statement about Germany
    that does not name Berlin is not about that text. A heading with a value, "Report 2024", dates nothing below it. The
    text stands at the end of what is returned.
    """
    headed = below_columns(text, context)
    above = _naming(statement, [each for each in lasting(headings_of(context)) if not _has_value(each)])
    return "".join(f"{heading}\n\n" for heading in above) + headed


def below_own(statement: str, text: str, context: str) -> str:
    """Return what `below` does for a `text` without headings of its own; else `text` below its columns.

    Whether a heading in the text begins a part of what stands above it, or something else, is not known here.
    """
    return below_columns(text, context) if read_sections(text) else below(statement, text, context)


def lasting(path: Sequence[str]) -> tuple[str, ...]:
    """Return the headings of a `path`, outermost first, that still hold at its end.

    What stands below "X100 › X200" is about X200, and below "Berlin office › Hamburg office" about Hamburg's: a heading
    ends what one of its form began.
    """
    later: set[str] = set()
    found: list[str] = []
    for heading in reversed(path):
        forms = set(_forms(heading))
        if not forms & later:
            found.append(heading)
        later |= forms
    return tuple(reversed(found))


def form_of(name: str) -> str:
    """Return what a name has in common with others of its kind: all but the digits."""
    return _NUMBER.sub("#", name.casefold())


def lasting_context(context: str) -> str:
    """Return a `context` without the headings that others of their form have ended."""
    _, _, columns = context.partition("\n")
    kept = lasting(headings_of(context))
    return "\n".join((joined(kept), columns)).strip("\n") if kept else context


def _forms(heading: str) -> Iterator[str]:
    """What a heading shares with those of the same kind: all but its digits, or its last word of several."""
    if _NUMBER.search(heading):
        yield form_of(heading)
        yield from map(form_of, identifiers_in(heading))
    words = heading.casefold().split()
    if len(words) > 1 and not _NUMBER.search(words[-1]):
        yield f"{len(words)} {words[-1]}"


def named_by(heading: str) -> tuple[Term, ...]:
    """Return the words of a heading that name a thing; () where it only says what part of a text or thing is below."""
    return tuple(terms([each for each in read_tokens(heading) if is_named_by_heading(each)]))


def _naming(statement: str, path: Sequence[str]) -> Sequence[str]:
    """The headings of a path that count, the innermost one that names a thing directly above the text."""
    last = next((at for at in reversed(range(len(path))) if named_by(path[at])), 0)
    is_named = bool(path) and Told(terms(read_tokens(statement))).has(named_by(path[last]))
    return [*path[last + 1 :], *(path[: last + 1] if is_named else path[last : last + 1])]


def _has_value(heading: str) -> bool:
    return any(each.value for each in read_tokens(heading))
