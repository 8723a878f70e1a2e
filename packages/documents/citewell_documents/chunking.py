"""Splits a document into chunks that are small enough to retrieve and big enough to understand.

A chunk ends where a section, a paragraph or at least a sentence ends. It never crosses a page, so that the page of
every quotation from it is certain (N3). Its size is in tokens: a page of Korean has more tokens than one of English.
The headings and columns that a chunk belongs to, but does not contain, are kept beside it (`context_of`).
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil

from citewell_documents.document import ParsedDocument, Section, TextChunk
from citewell_documents.table_heads import TableHeads, heads_above
from citewell_verify.text.sentences import split_sentences
from citewell_verify.text.windows import count_tokens, cut_line, joined

# Determines the context of a chunk: the headings above it and the columns of its table.
#
# "The rate is 4 %" is found under "Loans to employees", and a row of figures under the names of its columns, although
# neither says so itself.

_MOST = 200  # characters of the headings: a context must not drown the text


def context_of(document: ParsedDocument, section: int, start: int, end: int) -> str | None:
    """Return the context of `document.text[start:end]`, or None if there is nothing to add.

    `section` is the index of its section, -1 for none. Headings that occur in the text itself are left out.
    """
    heads = heads_above(document, start)
    path = _path(document, section)
    if heads:
        above = bisect_right(document.sections, heads.start, key=lambda entry: entry.start) - 1
        path = (*_path(document, above), *path)
    own = document.text[start:end]
    place = joined(title for title in dict.fromkeys(path) if title not in own)
    lines = (place[:_MOST], _columns(heads) if heads else "")
    return "\n".join(line for line in lines if line) or None


def _path(document: ParsedDocument, section: int) -> tuple[str, ...]:
    return document.sections[section].path if section >= 0 else ()


def _columns(heads: TableHeads) -> str:
    """The title and the heads of a table.

    A title ends with a tab, which shows that it belongs to the columns and is no heading.
    """
    if not heads.columns:
        return ""
    title = "".join(f"{line}\t\n" for line in heads.title.split("\n") if line)
    columns = "\n".join(cut_line(line) for line in heads.columns.split("\n"))  # each line is cut after a cell
    return f"{title}{columns}"


MIN_CHUNK_CHARS = 80
"""A shorter chunk says too little by itself; it stays alone only if its page has no other text."""

_HEADING = re.compile(r"[^\n]*(?:\n[ \t]*(?:=+|-{2,}|~{3,})[ \t]*(?=\n|\Z))?")


@dataclass(frozen=True, slots=True)
class _Unit:
    """Text that is kept together: a heading, a sentence, or a part of an overlong sentence (`part`: the rest
    follows).
    """

    start: int
    end: int
    section: int
    heading: bool = False
    part: bool = False


@dataclass(frozen=True, slots=True)
class _Limits:
    """The limits of a chunk in code points: its length, and its overlap with the previous chunk."""

    most: int
    least: int
    overlap: int


def split_document(
    document: ParsedDocument,
    *,
    chunk_tokens: int,
    overlap_tokens: int,
    tokens: Callable[[str], int] = count_tokens,
) -> list[TextChunk]:
    """Split a document into chunks, in order; every character that is not white space lies in at least one.

    `chunk.text == document.text[chunk.start:chunk.end]`, without outer white space. A chunk has at most about
    `chunk_tokens`, as `tokens` counts them on the whole page, or 80 characters more where these would be left alone.
    Whole sentences of up to `overlap_tokens`, and at most a third of a chunk, are repeated at the start of the next
    chunk of a section. `section` is the title of the section with most of the text, None before the first heading.
    """
    chunks: list[TextChunk] = []
    starts: list[tuple[int | None, int]] = [(None, 0), *((page.number, page.start) for page in document.pages)]
    for (page, start), (_, end) in pairwise([*starts, (None, len(document.text))]):
        text = document.text[start:end]
        per_token = len(text) / (tokens(text) or 1)
        most = max(round(chunk_tokens * per_token), 1)
        limits = _Limits(most, min(MIN_CHUNK_CHARS, most // 3), min(round(overlap_tokens * per_token), most // 3))
        for group in _groups(document, start, end, limits):
            for units in _packed(document.text, group, limits):
                first, last = units[0].start, units[-1].end
                section = _section(units)
                title = document.sections[section].title if section >= 0 else None
                context = context_of(document, section, first, last)
                chunks.append(TextChunk(len(chunks), first, last, document.text[first:last], page, title, context))
    return chunks


def _groups(document: ParsedDocument, start: int, end: int, limits: _Limits) -> list[list[_Unit]]:
    groups: list[list[_Unit]] = []
    for section_start, section_end, section in _sections_within(document.sections, start, end):
        units = list(_units(document, section_start, section_end, section, limits))
        if groups and _is_short(groups[-1], limits):
            groups[-1] += units
        elif units:
            groups.append(units)
    if len(groups) > 1 and _is_short(groups[-1], limits):
        last = groups.pop()
        groups[-1] += last
    return groups


def _is_short(units: list[_Unit], limits: _Limits) -> bool:
    return units[-1].heading or units[-1].end - units[0].start < limits.least


def _sections_within(sections: Sequence[Section], start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, index) of each section's part of a region; index -1 is the text before the first heading."""
    index = bisect_right(sections, start, key=lambda section: section.start) - 1
    while start < end:
        following = sections[index + 1].start if index + 1 < len(sections) else end
        yield start, min(following, end), index
        start, index = following, index + 1


def _units(document: ParsedDocument, start: int, end: int, section: int, limits: _Limits) -> Iterator[_Unit]:
    text = document.text
    if section >= 0 and document.sections[section].start == start and (heading := _HEADING.match(text, start, end)):
        for first, last in _parts(text, start, heading.end(), limits.most):
            yield _Unit(first, last, section, heading=True)
        start = heading.end()
    for sentence in split_sentences(text[start:end]):
        parts = list(_parts(text, start + sentence.start, start + sentence.end, limits.most))
        for first, last in parts:
            yield _Unit(first, last, section, part=(first, last) != parts[-1])


def _parts(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield parts of at most `most` characters, divided between words, or anywhere in an overlong word."""
    start, end = _trimmed(text, start, end)
    while end - start > most:
        size = ceil((end - start) / ceil((end - start) / most))
        cut = _cut(text, start + size // 2, start + min(most, size + size // 8))
        yield _trimmed(text, start, cut)
        start, _ = _trimmed(text, cut, end)
    if start < end:
        yield start, end


def _cut(text: str, earliest: int, latest: int) -> int:
    return next((position for position in range(latest, earliest, -1) if text[position - 1].isspace()), latest)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    return start, end


def _packed(text: str, units: list[_Unit], limits: _Limits) -> Iterator[list[_Unit]]:
    first = fresh = 0  # the chunk begins with the unit `first`; units before `fresh` were in the previous chunk
    while fresh < len(units):
        last = _last_of_chunk(text, units, first, fresh, limits)
        yield units[first : last + 1]
        before, first, fresh = first, last + 1, last + 1
        while first > before + 1 and fresh < len(units) and _repeats(units, first - 1, fresh, limits):
            first -= 1


def _repeats(units: list[_Unit], candidate: int, fresh: int, limits: _Limits) -> bool:
    unit = units[candidate]
    return (
        not (unit.heading or unit.part or units[candidate - 1].part)
        and unit.section == units[fresh].section
        and units[fresh - 1].end - unit.start <= limits.overlap
        and units[fresh].end - unit.start <= limits.most
    )


def _last_of_chunk(text: str, units: list[_Unit], first: int, fresh: int, limits: _Limits) -> int:
    start, end = units[first].start, units[-1].end
    if end - start <= limits.most:
        return len(units) - 1
    last = fresh
    while last + 1 < len(units) and units[last + 1].end - start <= limits.most:
        last += 1
    possible = [
        index
        for index in range(fresh, last + 1)
        if not units[index].heading
        and units[index].end - start >= limits.least
        and end - units[index + 1].start >= limits.least
    ]
    if possible:
        full = [index for index in possible if units[index].end - start >= limits.most // 2]
        return max(full, key=lambda index: (_rank(text, units, index), index)) if full else possible[-1]
    if end - start < limits.most + limits.least:
        return len(units) - 1
    return last + _divide(text, units, last + 1, start + limits.most, limits)


def _rank(text: str, units: list[_Unit], index: int) -> int:
    """A rank for ending a chunk after a unit: 3 before a section, 2 before a paragraph, 1 before a sentence, 0 before a
    word; the highest rank is the best.
    """
    unit, following = units[index], units[index + 1]
    if following.heading or unit.section != following.section:
        return 3
    if unit.part:
        return 0
    return 2 if text.count("\n", unit.end, following.start) > 1 else 1


def _divide(text: str, units: list[_Unit], index: int, limit: int, limits: _Limits) -> int:
    unit = units[index]
    room = limit - unit.start
    if unit.heading or room < limits.least // 2:
        return 0
    cut = _cut(text, unit.start + room // 2, limit)
    (_, first_end), (rest_start, _) = _trimmed(text, unit.start, cut), _trimmed(text, cut, unit.end)
    units[index : index + 1] = [replace(unit, end=first_end, part=True), replace(unit, start=rest_start)]
    return 1


def _section(units: list[_Unit]) -> int:
    lengths: Counter[int] = Counter()
    for unit in units:
        lengths[unit.section] += 0 if unit.heading else unit.end - unit.start
    section, length = lengths.most_common(1)[0]
    return section if length else units[-1].section
