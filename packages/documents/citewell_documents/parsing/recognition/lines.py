"""Makes lines from a recognised page, in the same form as those of any other page of a PDF."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

from citewell_documents.parsing.pdf.columns import in_reading_order
from citewell_documents.parsing.pdf.frames import Frame
from citewell_documents.parsing.pdf.glyphs import Extent
from citewell_documents.parsing.pdf.ink import no_ink
from citewell_documents.parsing.pdf.lines import CELL_GAP_EM, MARGIN, Line
from citewell_documents.parsing.recognition.rows import RecognisedPage, Row, Word

_POINTS = 72  # per inch
_EM = 1.1  # a font's size, divided by the height of most of its words
_SAME_SIZE = 0.35  # the measured size of body text varies this much with the letters of a line


def laid(page: RecognisedPage) -> tuple[list[Line], Frame]:
    """The lines of a page in reading order, in points, and the frame of the page in its picture."""
    scale = _POINTS / page.dpi
    width, height = page.width * scale, page.height * scale
    lines = in_reading_order([_line(row, scale, height) for row in page.rows])
    shown = (width, height) if page.turns % 2 == 0 else (height, width)
    return lines, Frame((0, 0, width, height), page.turns, *shown)


def evened(pages: list[list[Line]]) -> list[list[Line]]:
    """Give lines near the usual size that size, because measured sizes vary from line to line."""
    sizes = [line.size for page in pages for line in page if line.confidence is not None for _ in line.text]
    if not sizes:
        return pages
    usual = round(2 * median(sizes)) / 2
    return [
        [
            replace(line, size=usual)
            if line.confidence is not None and abs(line.size / usual - 1) < _SAME_SIZE
            else line
            for line in page
        ]
        for page in pages
    ]


def _line(row: Row, scale: float, height: float) -> Line:
    lettered = [word for word in row.words if any(character.isalnum() for character in word.text)]
    size = max(2.0, _EM * scale * median(word.box[3] - word.box[1] for word in lettered or row.words))
    cells = list(_cells(row.words, CELL_GAP_EM * size / scale))
    text = "\t".join(
        "".join(word.text if word.joined or not at else f" {word.text}" for at, word in enumerate(cell))
        for cell in cells
    )
    divided = text[-2:-1].isalpha() and text.endswith("-")
    extents: list[Extent] = [(cell[0].box[0] * scale, cell[-1].box[2] * scale) for cell in cells]
    y = height - row.baseline * scale
    letters = sum(len(word.text) for word in row.words)
    return Line(
        text=text[:-1] if divided else text,
        left=extents[0][0],
        right=extents[-1][1],
        y=y,
        size=round(2 * size) / 2,
        margin=not MARGIN < y / height < 1 - MARGIN,
        divided=divided,
        cells=tuple(extents),
        ink=_ink(row.words, scale, height, divided=divided),
        confidence=sum(len(word.text) * word.confidence for word in row.words) / letters,
    )


def _cells(words: Sequence[Word], gap: float) -> Iterator[list[Word]]:
    cell: list[Word] = []
    for word in words:
        if cell and word.box[0] - cell[-1].box[2] > gap:
            yield cell
            cell = []
        cell.append(word)
    yield cell


def _ink(words: Sequence[Word], scale: float, height: float, *, divided: bool) -> "array[float]":
    ink = no_ink()
    for word in words:
        left, top, right, bottom = word.box
        count = len(word.text) - (divided and word is words[-1])
        if count:
            ink.extend((count, left * scale, height - bottom * scale, right * scale, height - top * scale))
    return ink
