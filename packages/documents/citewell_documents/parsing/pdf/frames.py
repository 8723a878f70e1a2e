"""The frame of a page: converts its own coordinates to those of the displayed page, from the upper left corner."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from citewell_documents.boxes import PageBoxes, Recognised, WordBox, packed
from citewell_documents.parsing.pdf.glyphs import Box

_MAX_SIDE = 20_000.0  # points: PDF allows 14,400
Matrix = tuple[float, float, float, float, float, float]
UNCHANGED: Matrix = (1, 0, 0, 1, 0, 0)


@dataclass(frozen=True, slots=True)
class Frame:
    """The frame of a page: `box` is its visible part, `turns` the number of turns by 90° clockwise when displayed."""

    box: Box
    turns: int
    width: float
    height: float

    def displayed(self, box: Box) -> Box:
        left, bottom, right, top = self.box
        wide, high = right - left, top - bottom
        across = [min(max((x - left) / wide, 0), 1) for x in (box[0], box[2])]
        down = [min(max((top - y) / high, 0), 1) for y in (box[3], box[1])]
        for _ in range(self.turns):
            across, down = [1 - down[1], 1 - down[0]], across
        return across[0] * self.width, down[0] * self.height, across[1] * self.width, down[1] * self.height

    def boxes(
        self, number: int, words: Iterable[tuple[int, int, Box]], recognised: Iterable[Recognised] = ()
    ) -> PageBoxes:
        """The boxes of page `number`; `words` are the start and end of words in the document's text with their boxes on
        the page.
        """
        made = (WordBox(start, end, *self.displayed(box)) for start, end, box in words)
        return PageBoxes(number, self.width, self.height, packed(made), tuple(recognised))


def frame_of(page: pdfium.PdfPage) -> Frame | None:
    box, (width, height) = page.get_bbox(), page.get_size()
    sides = (box[2] - box[0], box[3] - box[1], width, height)
    if not all(isfinite(side) and 0 < side < _MAX_SIDE for side in sides):
        return None
    return Frame(box, page.get_rotation() // 90 % 4, width, height)


def matrix_within(item: pdfium_c.FPDF_PAGEOBJECT, outer: Matrix) -> Matrix:
    """The matrix from the coordinates within a form object to those of the page, for a form in another form with the
    matrix `outer`.
    """
    own = pdfium_c.FS_MATRIX()
    pdfium_c.FPDFPageObj_GetMatrix(item, own)
    a, b, c, d, e, f = outer
    return (
        *(own.a * a + own.b * c, own.a * b + own.b * d),
        *(own.c * a + own.d * c, own.c * b + own.d * d),
        *(own.e * a + own.f * c + e, own.e * b + own.f * d + f),
    )
