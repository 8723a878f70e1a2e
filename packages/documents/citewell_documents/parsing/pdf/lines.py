"""The lines of a PDF page, with the geometry that identifies paragraphs, tables and headings."""

import re
import sys
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from citewell_documents.parsing.hidden import Reason
from citewell_documents.parsing.pdf.annotations import Field
from citewell_documents.parsing.pdf.bidi import in_logical_order
from citewell_documents.parsing.pdf.forms import Run, with_fields
from citewell_documents.parsing.pdf.glyphs import Box, Extent, Glyphs, sides
from citewell_documents.parsing.pdf.ink import Ink, ink_of, no_ink

_NEWLINES = (0x0A, 0x0D)
_SPACE, _NO_BREAK, _SOFT_HYPHEN = 0x20, 0xA0, 0xAD
_UNKNOWN = 0xFFFD  # for codes that no character has, as fonts may state them
_DIVIDED = 0x02  # PDFium's code for a hyphen that divides a word; in some symbol fonts a character
# Justification stretches spaces to about one em; table columns are further apart.
CELL_GAP_EM = 1.5
# The number or bullet of an item. A number or dash before another value is a value of a row, and no bullet.
_LABEL = re.compile(
    r"^\s*((?:\d+(?:\.\d+)*|[A-Za-z]|[ivxIVX]+)[.)]?|[•◦▪‣●○■□–—*·-])\t(?!(?:[$€£¥₩]?[-–(]?[\d,.]+\)?%?|[-–—])\s*(?:\t|$))"
)
_LEADERS = re.compile(r"[ \t]*(?:\.[ \t]?){5,}[ \t]*")
_SPACES = re.compile(r"[ \xa0]+")
_MEANINGLESS = frozenset({"Cc", "Co", "Cs", "Cn"})
MARGIN = 0.12  # the share of the page's height that a margin takes
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})


@dataclass(frozen=True, slots=True)
class Line:
    """One line: `left` and `right` in reading direction, the baseline `y` above the page's lower edge, and the font
    `size`, all in points. `margin`: in the zone of running headers and footers. `divided`: the last word continues
    in the next line. `spaced`: a space follows the last word. `cells`: start and end of each non-empty cell; a line
    outside a table is one cell, and no cell is known if leaders fill the gaps. `apart`: the starts of words that the
    file sets apart without a space. `table`: the number of the table of known cells whose row this is; the row has
    its empty cells, too, and `cells` are unknown then. `rise`: the distance from `y`, the baseline of the row's last
    line, up to that of its first. `hidden`: the reason why a reader does not see the line. `ink`: the places of its
    characters. `confidence`: that of a line that was recognised in a picture, from 0 to 1.
    """

    text: str
    left: float
    right: float
    y: float
    size: float
    bold: bool = False
    margin: bool = False
    divided: bool = False
    spaced: bool = False
    hidden: Reason | None = None
    cells: tuple[Extent, ...] = ()
    apart: tuple[float, ...] = ()
    table: int = 0
    rise: float = 0.0
    ink: Ink = field(default_factory=no_ink, compare=False, repr=False)
    confidence: float | None = field(default=None, compare=False)

    @property
    def is_row(self) -> bool:
        return "\t" in self.text


Unseen = Callable[[Mapping[int, Box], Mapping[int, int], int], Mapping[int, Reason]]
"""Returns the reasons why characters of a line are not seen, from their places, their codes and the line's rotation."""


def read_lines(
    textpage: pdfium.PdfTextPage, count: int, glyphs: Glyphs, unseen: Unseen, fields: Sequence[Field] = ()
) -> list[Line]:
    """The lines in the order in which they are drawn. The unseen part of a line is a line of its own after it."""
    reader = _Reader(textpage, glyphs, unseen)
    for run in with_fields(_runs(textpage, count), fields, glyphs):
        reader.end_line(run)
    return reader.lines


def _runs(textpage: pdfium.PdfTextPage, count: int) -> list[Run]:
    runs: list[Run] = []
    characters: list[tuple[int, int]] = []
    for index in range(count):
        code = pdfium_c.FPDFText_GetUnicode(textpage, index)
        code = code if code <= sys.maxunicode else _UNKNOWN
        divided = code == _SOFT_HYPHEN or (code == _DIVIDED and pdfium_c.FPDFText_IsHyphen(textpage, index) == 1)
        if divided or code in _NEWLINES:
            runs.append(Run(characters, divided))
            characters = []
        else:
            characters.append((index, code))
    return [*runs, Run(characters)]


class _Reader:
    """Makes lines of runs of characters."""

    def __init__(self, textpage: pdfium.PdfTextPage, glyphs: Glyphs, unseen: Unseen) -> None:
        self._textpage = textpage
        self._unseen = unseen
        self.lines: list[Line] = []
        self._glyphs = glyphs

    def _is_generated(self, space: int) -> bool:
        return pdfium_c.FPDFText_IsGenerated(self._textpage, space) == 1

    def end_line(self, run: Run) -> None:
        characters, divided = run
        seen = [index for index, code in characters if code > _SPACE and code != _NO_BREAK]
        if not seen:
            return
        quarter = self._glyphs.quarter(seen[len(seen) // 2])
        places = {index: self._glyphs.box(index) for index in seen}
        for part in _lines_of(characters, places, quarter):
            of_line = {index: places[index] for index, _ in part if index in places}
            if of_line:
                self._end_line(part, of_line, quarter, divided=divided and part[-1] == characters[-1])

    def _end_line(
        self, characters: list[tuple[int, int]], places: dict[int, Box], quarter: int, *, divided: bool
    ) -> None:
        unseen = self._unseen(places, dict(characters), quarter)
        if not unseen:
            self._add(characters, places, quarter, divided=divided)
            return
        for reason, part in _parted(characters, unseen):
            if of_part := {index: places[index] for index, _ in part if index in places}:
                last = divided and part[-1] == characters[-1]
                self._add(part, of_part, quarter, divided=last, hidden=reason, between=places)

    def _add(
        self,
        characters: list[tuple[int, int]],
        places: dict[int, Box],
        quarter: int,
        *,
        divided: bool,
        hidden: Reason | None = None,
        between: Mapping[int, Box] | None = None,
    ) -> None:
        glyphs, seen = self._glyphs, [*places]
        sample = (seen[0], seen[len(seen) // 2], seen[-1])
        size = sorted(glyphs.size(index) for index in sample)[1]
        boxes = {index: sides(place, quarter) for index, place in places.items()}
        ordered = in_logical_order(characters, boxes)
        # Words that are left out of a sentence must not leave a gap that divides cells.
        taken = [sides(place, quarter) for place in (between or {}).values()]
        joined, cells = _joined(ordered, boxes, _gaps([*boxes.values(), *taken], CELL_GAP_EM * size))
        text = readable(joined)
        if not text.strip():
            return
        if text.strip().count("\t") == len(cells) - 2:  # the label of an item and its text are one cell
            cells = ((cells[0][0], cells[1][1]), *cells[2:])
        left, right = min(box[0] for box in boxes.values()), max(box[1] for box in boxes.values())
        directions = (unicodedata.bidirectional(character) for character in text)
        first = next((direction for direction in directions if direction in ("L", "R", "AL")), "L")
        if first != "L":  # a line that is read from the right is measured from the right
            left, right = -right, -left
        y = sorted(glyphs.baseline(index, quarter) for index in sample)[1]
        self.lines.append(
            Line(
                text=text.strip(),
                left=left,
                right=right,
                y=y,
                size=size,
                bold=all(glyphs.is_bold(index) for index in sample),
                margin=not MARGIN < y / glyphs.height(quarter) < 1 - MARGIN,
                divided=divided,
                spaced=text[-1].isspace(),
                hidden=hidden,
                apart=tuple(
                    boxes[index][0]
                    for (gap, code), (index, _) in pairwise(ordered)
                    if index in boxes and code == _SPACE and self._is_generated(gap)
                ),
                cells=cells if len(cells) == text.strip().count("\t") + 1 else (),
                ink=ink_of(text.strip(), _drawn(ordered, text.lstrip()), places, upright=quarter % 2 == 0),
            )
        )


def _lines_of(
    characters: list[tuple[int, int]], places: dict[int, Box], quarter: int
) -> Iterator[list[tuple[int, int]]]:
    """Yield the characters of each line, because PDFium sometimes joins cells that are drawn one below the other."""
    line: list[tuple[int, int]] = []
    before: Box | None = None
    upright = (sides(box, (quarter + 1) % 4) for box in places.values())
    tallest = max(top - bottom for bottom, top in upright)
    for index, code in characters:
        if box := places.get(index):
            if before and sides(box, quarter)[0] < sides(before, quarter)[1]:
                (low, high), (bottom, top) = (sides(either, (quarter + 1) % 4) for either in (box, before))
                if max(low - top, bottom - high) > tallest / 2:  # the gap is too large for an accent or an index
                    yield line
                    line = []
            before = box
        line.append((index, code))
    yield line


def _parted(
    characters: list[tuple[int, int]], unseen: Mapping[int, Reason]
) -> Iterator[tuple[Reason | None, list[tuple[int, int]]]]:
    """Yield the seen part of a line, and its unseen parts with the reasons. White space belongs to the same part as the
    character before it.
    """
    parts: dict[Reason | None, list[tuple[int, int]]] = {}
    reason: Reason | None = None
    for index, code in characters:
        if code > _SPACE and code != _NO_BREAK:
            reason = unseen.get(index)
        parts.setdefault(reason, []).append((index, code))
    yield from parts.items()


def _joined(
    characters: list[tuple[int, int]], boxes: dict[int, Extent], gaps: list[Extent]
) -> tuple[str, tuple[Extent, ...]]:
    """The characters as UTF-16 units, with one tab in place of the spaces between two cells, and the extents of the
    cells.
    """
    parts: list[str] = []
    cells: list[Extent] = []
    end: Extent | None = None
    for index, code in characters:
        if box := boxes.get(index):
            if end and (_has_between(gaps, end[1], box[0]) or _has_between(gaps, box[1], end[0])):
                while parts and parts[-1].isspace():
                    parts.pop()
                parts.append("\t")
                cells.append(box)
            cells[-1:] = [(min(cells[-1][0], box[0]), max(cells[-1][1], box[1])) if cells else box]
            end = box
        parts.append(chr(code))
    return "".join(parts), tuple(cells)


def _has_between(gaps: list[Extent], left: float, right: float) -> bool:
    """True if one of the gaps, which are in order, lies between the two places."""
    at = bisect_left(gaps, left, key=lambda gap: gap[0])
    return at < len(gaps) and gaps[at][1] <= right


def _drawn(characters: Iterable[tuple[int, int]], text: str) -> list[tuple[str, int]]:
    drawn: list[tuple[str, int]] = []
    high = 0
    for index, code in characters:
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        unit, high = (chr(high) + chr(code) if high else chr(code)), 0
        if not unit.isspace() or unicodedata.category(unit) == "Cc":
            drawn += [(character, index) for character in _spelled(unit, is_bullet=not drawn and text[0] == "•")]
    return drawn


def _spelled(unit: str, *, is_bullet: bool) -> str:
    character = unit.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore").translate(_LIGATURES)
    if not character or unicodedata.category(character[0]) in _MEANINGLESS:
        return "•" if is_bullet and character else ""
    return character


def _gaps(boxes: Iterable[Extent], width: float) -> list[Extent]:
    gaps: list[Extent] = []
    ordered = sorted(boxes)
    reach = ordered[0][1]
    for left, right in ordered:
        if left - reach > width:
            gaps.append((reach, left))
        reach = max(reach, right)
    return gaps


def readable(units: str) -> str:
    """The text of UTF-16 `units`: ligatures spelled out, characters without meaning outside their font removed."""
    text = units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore").translate(_LIGATURES)
    if text and unicodedata.category(text[0]) in _MEANINGLESS:
        text = "•" + text[1:]  # symbol-font characters at the start of a line are bullets
    if not text.isprintable():
        text = "".join(c for c in text if c == "\t" or unicodedata.category(c) not in _MEANINGLESS)
    return _LABEL.sub(r"\1 ", _LEADERS.sub("\t", _SPACES.sub(" ", text)))
