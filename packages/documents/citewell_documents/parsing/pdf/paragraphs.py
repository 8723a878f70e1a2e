"""Groups the lines of a PDF page into paragraphs by their geometry."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from citewell_documents.boxes import Recognised
from citewell_documents.figures import Figure
from citewell_documents.parsing.decoding import clean
from citewell_documents.parsing.pdf.cells.cell_values import are_values
from citewell_documents.parsing.pdf.glyphs import Box
from citewell_documents.parsing.pdf.ink import cleaned_places, placed
from citewell_documents.parsing.pdf.lines import Line
from citewell_documents.parsing.pdf.tables import (
    ROW_DROP_EM,
    SAME_ROW_EM,
    same_table,
    whole_rows,
    whole_tables,
    within_row,
)
from citewell_documents.parsing.pdf.typography import Typography

_ITEM = re.compile(r"(?:[•◦▪‣●○■□–—*·※-]|\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4}|[가-하])[.)]|[①-⑳])\s")
_SENTENCE_END = re.compile(r"[.!?:;。！？…][\"'”’»)\]」』]*$")
_INDENT_EM = 0.8
_JUMP_EM = 8.0
_PROSE_EM = 10.0  # narrower lines are no wrapped prose
_WRAPPED_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Paragraph:
    """The lines of one paragraph, and its text; `words`: the start and end of words in the text, and their boxes on the
    page.

    `recognised`: start, end and confidence of the lines that were recognised in a picture. `figures`: the parts of the
    text that belong to a picture; an alternative text has no lines.
    """

    lines: tuple[Line, ...]
    text: str
    words: tuple[tuple[int, int, Box], ...] = ()
    recognised: tuple[Recognised, ...] = ()
    figures: tuple[Figure, ...] = ()


def paragraphs(lines: list[Line], typography: Typography) -> Iterator[Paragraph]:
    """Yield the paragraphs of a page; in a paragraph, `\\n` separates rows and items, and `\\t` the cells of a row."""
    if not lines:
        return
    lines = whole_tables(list(_without_stretched_spaces(whole_rows(lines), typography)))
    edges = _right_edges(lines, typography)
    members, text, starts = [lines[0]], lines[0].text, [0]
    for (above, line), edge in zip(pairwise(lines), edges, strict=False):
        separator = _separator(above, line, edge, typography)
        if separator is None:
            yield _paragraph(members, text, starts)
            members, text, starts = [], "", []
        members.append(line)
        text += separator or ""
        starts.append(len(text))
        text += line.text
    yield _paragraph(members, text, starts)


def _without_stretched_spaces(lines: list[Line], typography: Typography) -> Iterator[Line]:
    """Replace single gaps in single lines of a block: they are spaces that justification stretched, not gaps between
    columns.
    """
    for above, line, below in zip([None, *lines], lines, [*lines[1:], None], strict=False):
        close = [
            neighbour
            for neighbour in (above, below)
            if neighbour and neighbour.size == line.size and abs(neighbour.y - line.y) <= typography.max_drop(line.size)
        ]
        is_stretched = line.text.count("\t") == 1 and not are_values(line.text)
        if is_stretched and close and not any(neighbour.is_row for neighbour in close):
            yield replace(line, text=line.text.replace("\t", " "), cells=())
        else:
            yield line


def _paragraph(lines: list[Line], text: str, starts: list[int]) -> Paragraph:
    raw = text + "-" * lines[-1].divided
    cleaned = clean(raw)
    places = cleaned_places(raw, cleaned)
    words, recognised = _words(lines, starts, places), _recognised(lines, starts, places, len(cleaned))
    return Paragraph(tuple(lines), cleaned, tuple(words), tuple(recognised))


def _recognised(
    lines: list[Line], starts: list[int], places: Sequence[int] | None, length: int
) -> Iterator[Recognised]:
    for line, start in zip(lines, starts, strict=True):
        if line.confidence is not None and places is not None:
            first, last = places[start], places[start + len(line.text)]
            yield Recognised(first, last, round(line.confidence, 3))
        elif line.confidence is not None and start == 0:  # the lines have no known places: use the whole text
            yield Recognised(0, length, round(line.confidence, 3))


def _words(lines: list[Line], starts: list[int], places: Sequence[int] | None) -> Iterator[tuple[int, int, Box]]:
    if places is None:
        return
    for line, base in zip(lines, starts, strict=True):
        for start, end, box in placed(line.text, line.ink):
            first, last = places[base + start], places[base + end]
            if first < last:
                yield first, last, box


def _separator(above: Line, line: Line, edge: float, typography: Typography) -> str | None:
    """The separator of two lines of a paragraph; None if they belong to different paragraphs."""
    drop = above.y - line.y - line.rise
    if above.table or line.table:
        return "\n" if same_table([above], line) else None
    if abs(drop) < SAME_ROW_EM * max(above.size, line.size):
        return within_row(above, line)
    if same_table([above], line):
        return "\n"
    wraps = _wraps(above, line, edge)
    if above.size != line.size or (above.bold != line.bold and not wraps):
        return None
    if not 0 < drop <= _JUMP_EM * line.size:
        ends_within = not _SENTENCE_END.search(above.text) and line.text[0].isalpha() and not line.text[0].isupper()
        return typography.continuation(above, line) if wraps and ends_within else None
    return _within_block(above, line, typography, wraps=wraps)


def is_item(text: str) -> bool:
    return bool(_ITEM.match(text))


def _within_block(above: Line, line: Line, typography: Typography, *, wraps: bool) -> str | None:
    drop = above.y - line.y - line.rise
    if above.is_row and line.is_row and drop <= ROW_DROP_EM * line.size:
        return "\n"
    if drop > typography.max_drop(line.size) or _begins_indented(above, line, wraps=wraps):
        return None
    if typography.is_display(line):
        return typography.continuation(above, line)
    if _ITEM.match(line.text) or above.is_row or line.is_row or not wraps:
        return "-\n" if above.divided else "\n"
    return typography.continuation(above, line)


def _wraps(above: Line, line: Line, edge: float) -> bool:
    """True if the first word of the line did not fit on the line above."""
    if above.divided:
        return True
    first_word = line.text.split(maxsplit=1)[0]
    room = min(len(first_word), 15) / len(line.text) * (line.right - line.left)
    slack = (1.5 if above.spaced else 0.5) * above.size  # a ragged line does not show how far it could have extended
    return above.right - above.left > _PROSE_EM * above.size and above.right + room + slack > edge


def _begins_indented(above: Line, line: Line, *, wraps: bool) -> bool:
    if line.left - above.left < _INDENT_EM * line.size or _ITEM.match(above.text) or _ITEM.match(line.text):
        return False
    centred = abs((above.left + above.right) - (line.left + line.right)) < 0.6 * line.size
    return not centred and (not wraps or bool(_SENTENCE_END.search(above.text)))


def _right_edges(lines: list[Line], typography: Typography) -> list[float]:
    """The right edge available to each line, in points.

    A block of wrapped prose shows its own edge; for other lines it is the edge of the column's lines of the same size.
    """
    edges: list[float] = []
    for column in _split(lines, lambda above, line: line.y > above.y + line.size):
        rights: defaultdict[float, list[float]] = defaultdict(list)
        for line in [line for line in column if not line.is_row] or column:
            rights[line.size].append(line.right)
        usual = {size: sorted(ends)[int(0.9 * len(ends))] for size, ends in rights.items()}
        for block in _split(
            column,
            lambda above, line: (
                above.size != line.size
                or above.table != line.table
                or not 0 < above.y - line.y <= typography.max_drop(line.size)
            ),
        ):
            edge = max(line.right for line in block)
            wrapped = sum(_wraps(above, line, edge) for above, line in pairwise(block))
            if len(block) < 4 or wrapped < _WRAPPED_SHARE * (len(block) - 1):
                edge = max(usual.get(line.size, line.right) for line in block)
            edges += [edge] * len(block)
    return edges


def _split(lines: list[Line], parts: Callable[[Line, Line], bool]) -> Iterator[list[Line]]:
    part = [lines[0]]
    for above, line in pairwise(lines):
        if parts(above, line):
            yield part
            part = []
        part.append(line)
    yield part
