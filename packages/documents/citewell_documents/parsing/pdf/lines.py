"""The lines of a PDF page, with the geometry that identifies paragraphs, tables and headings."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from citewell_documents.parsing.pdf.bidi import in_logical_order
from citewell_documents.parsing.pdf.glyphs import Box, Extent, Glyphs, sides
from citewell_documents.parsing.pdf.ink import Ink, ink_of, no_ink

_NEWLINES = (0x0A, 0x0D)
_SOFT_HYPHEN = 0xAD
_DIVIDED = 0x02  # PDFium's code for a hyphen that divides a word; in some symbol fonts a character
# Justified text stretches its spaces to about one em; table columns are further apart.
CELL_GAP_EM = 1.5
# Of an item; a number or dash before another value is itself one, in the columns of a row.
_LABEL = re.compile(
    r"^\s*((?:\d+(?:\.\d+)*|[A-Za-z]|[ivxIVX]+)[.)]?|[•◦▪‣●○■□–—*·-])\t(?!(?:[$€£¥₩]?[-–(]?[\d,.]+\)?%?|[-–—])\s*(?:\t|$))"
)
_LEADERS = re.compile(r"[ \t]*(?:\.[ \t]?){5,}[ \t]*")
_SPACES = re.compile(r"[ \xa0]+")
_MEANINGLESS = frozenset({"Cc", "Co", "Cs", "Cn"})
MARGIN = 0.12  # of the height of the page
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})


@dataclass(frozen=True, slots=True)
class Line:
    """One line: `left` and `right` in reading direction, the baseline `y` above the page's lower edge, and the font
    `size`, all in points. `margin`: in the zone of running headers and footers. `divided`: the last word continues
    in the next line. `spaced`: a space follows the last word. `cells`: start and end of each non-empty cell; a line
    outside a table is one cell, and none is known where leaders fill the gaps. `ink`: where its characters stand.
    `apart`: where words begin that the file sets apart without a space.
    `table`: the number of the table with drawn lines whose row this is, empty cells and all; `cells` are unknown then.
    `confidence`: of a line that was recognised in a picture, from 0 to 1.
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
    invisible: bool = False
    cells: tuple[Extent, ...] = ()
    apart: tuple[float, ...] = ()
    table: int = 0
    ink: Ink = field(default_factory=no_ink, compare=False, repr=False)
    confidence: float | None = field(default=None, compare=False)

    @property
    def is_row(self) -> bool:
        return "\t" in self.text


def read_lines(textpage: pdfium.PdfTextPage, count: int, glyphs: Glyphs) -> list[Line]:
    reader = _Reader(glyphs)
    for index in range(count):
        code = pdfium_c.FPDFText_GetUnicode(textpage, index)
        if code in _NEWLINES:
            reader.end_line()
        elif code == _SOFT_HYPHEN or (code == _DIVIDED and pdfium_c.FPDFText_IsHyphen(textpage, index) == 1):
            reader.end_line(divided=True)
        else:
            if code == 0x20 and pdfium_c.FPDFText_IsGenerated(textpage, index) == 1:
                reader.missing.add(index)
            reader.characters.append((index, code))
    reader.end_line()
    return reader.lines


class _Reader:
    """Collects characters and closes lines."""

    def __init__(self, glyphs: Glyphs) -> None:
        self.lines: list[Line] = []
        self.characters: list[tuple[int, int]] = []
        self.missing: set[int] = set()  # spaces that the file does not draw
        self._glyphs = glyphs

    def end_line(self, *, divided: bool = False) -> None:
        characters, self.characters = self.characters, []
        places = {index: self._glyphs.box(index) for index, code in characters if code > 0x20 and code != 0xA0}
        if not places:
            return
        quarter = self._glyphs.quarter(list(places)[len(places) // 2])
        *above, last = _lines_of(characters, places, quarter)
        for part in above:
            self._add(part, {index: places[index] for index, _ in part if index in places}, quarter)
        self._add(last, {index: places[index] for index, _ in last if index in places}, quarter, divided=divided)

    def _add(
        self, characters: list[tuple[int, int]], places: dict[int, Box], quarter: int, *, divided: bool = False
    ) -> None:
        seen, glyphs = list(places), self._glyphs
        sample = (seen[0], seen[len(seen) // 2], seen[-1])
        size = sorted(glyphs.size(index) for index in sample)[1]
        boxes = {index: sides(place, quarter) for index, place in places.items()}
        ordered = in_logical_order(characters, boxes)
        joined, cells = _joined(ordered, boxes, size)
        text = readable(joined)
        if not text.strip():
            return
        if text.strip().count("\t") == len(cells) - 2:  # the label of an item and its text
            cells = ((cells[0][0], cells[1][1]), *cells[2:])
        left, right = min(box[0] for box in boxes.values()), max(box[1] for box in boxes.values())
        directions = (unicodedata.bidirectional(character) for character in text)
        first = next((direction for direction in directions if direction in ("L", "R", "AL")), "L")
        if first != "L":  # such a line is measured from the right
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
                invisible=glyphs.is_invisible(sample[1]),
                apart=tuple(
                    boxes[index][0]
                    for (gap, _), (index, _) in pairwise(ordered)
                    if gap in self.missing and index in boxes
                ),
                cells=cells if len(cells) == text.strip().count("\t") + 1 else (),
                ink=ink_of(text.strip(), _drawn(ordered, text.lstrip()), places, upright=quarter % 2 == 0),
            )
        )


def _lines_of(
    characters: list[tuple[int, int]], places: dict[int, Box], quarter: int
) -> Iterator[list[tuple[int, int]]]:
    """The characters of each line: PDFium takes cells that are drawn below or above each other for one, at times."""
    line: list[tuple[int, int]] = []
    before: Box | None = None
    upright = (sides(box, (quarter + 1) % 4) for box in places.values())
    tallest = max(top - bottom for bottom, top in upright)
    for index, code in characters:
        if box := places.get(index):
            if before and sides(box, quarter)[0] < sides(before, quarter)[1]:
                (low, high), (bottom, top) = (sides(either, (quarter + 1) % 4) for either in (box, before))
                if max(low - top, bottom - high) > tallest / 2:  # no accent or index
                    yield line
                    line = []
            before = box
        line.append((index, code))
    yield line


def _joined(characters: list[tuple[int, int]], boxes: dict[int, Extent], size: float) -> tuple[str, tuple[Extent, ...]]:
    """The characters as UTF-16 units, with a tab for the spaces of a gap between cells, and the cells' extents."""
    gaps = _gaps(boxes.values(), CELL_GAP_EM * size)
    parts: list[str] = []
    cells: list[Extent] = []
    end: Extent | None = None
    for index, code in characters:
        if box := boxes.get(index):
            if end and any(
                (end[1] <= left and right <= box[0]) or (box[1] <= left and right <= end[0]) for left, right in gaps
            ):
                while parts and parts[-1].isspace():
                    parts.pop()
                parts.append("\t")
                cells.append(box)
            cells[-1:] = [(min(cells[-1][0], box[0]), max(cells[-1][1], box[1])) if cells else box]
            end = box
        parts.append(chr(code))
    return "".join(parts), tuple(cells)


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
