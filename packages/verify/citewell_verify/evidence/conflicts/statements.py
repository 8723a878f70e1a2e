"""Reads an excerpt into the statements that are compared: sentences, lines with a label, and cells of tables."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from citewell_verify.evidence.conflicts.replacements import Excerpt
from citewell_verify.facts.structure.headings import heading_lines, split_off_headings
from citewell_verify.facts.structure.tables import Row, parse_tables
from citewell_verify.text.context_lines import with_columns
from citewell_verify.text.sentences import is_table_row, split_sentences

LABELLED = re.compile(r"[\s*•·-]*+([^\s:：|][^:：|\n]{0,39})[:：]\s+(\S[^\n]{0,119})")
_NUMBERING = re.compile(
    r"\A\s*(?:(?:\d{1,3}(?:\.\d{1,3}){0,3}[.)]|\d{1,3}(?:\.\d{1,3}){1,3}|[-*•·]|제\s?\d{1,3}\s?조)\s+)"
)

_LONGEST = 500  # characters: a longer sentence says more than one thing


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a document: a sentence or a labelled line, or one cell of a row."""

    excerpt: Excerpt
    start: int
    end: int
    text: str
    row: Row | None = None

    @property
    def headings(self) -> tuple[str, ...]:
        return self.excerpt.headings_at(self.start)


def statements_of(excerpt: Excerpt) -> Sequence[Statement]:
    return (*sentences_of(excerpt), *cells_of(excerpt))


@lru_cache(maxsize=256)
def sentences_of(excerpt: Excerpt) -> Sequence[Statement]:
    return tuple(_read_sentences(excerpt))


@lru_cache(maxsize=256)
def cells_of(excerpt: Excerpt) -> Sequence[Statement]:
    return tuple(_read_cells(excerpt))


def _read_sentences(excerpt: Excerpt) -> Iterator[Statement]:
    headings = heading_lines(excerpt.text)
    for sentence in split_sentences(excerpt.text, cites=False):
        place = sentence.start
        for part in split_off_headings(sentence.text, headings):
            lines = part.split("\n")
            for line in lines if any(map(LABELLED.fullmatch, lines)) else (part,):
                start = excerpt.text.index(line, place)
                place = start + len(line)
                stated = _NUMBERING.sub("", line)
                if stated.strip() in headings or is_table_row(line) or len(line) > _LONGEST:
                    continue
                yield Statement(excerpt, start, place, stated)
                _, colon, rest = stated.partition(": ")
                if colon:
                    yield Statement(excerpt, start, place, rest)


def _read_cells(excerpt: Excerpt) -> Iterator[Statement]:
    place = 0
    for row in parse_tables(with_columns(excerpt.text, excerpt.context)).rows:
        start = excerpt.text.find(row.line, place) if row.line else -1
        if start < 0:
            continue
        place = start + len(row.line)
        for cell in row.cells:
            yield Statement(
                excerpt,
                start,
                place,
                cell.content,
                row=Row(row.label, (cell,), row.heading, row.table, row.groups, row.line),
            )
