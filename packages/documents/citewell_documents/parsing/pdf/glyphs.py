"""PDFium's characters of a page, rotated so that they read from left to right."""

import ctypes
import re
from collections.abc import Iterable
from math import atan2, pi

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

_BOLD = re.compile(rb"bold|black|heavy|[^a-z]demi|CMBX|SFBX|LMRoman\d+-?Bold", re.IGNORECASE)
# Values outside these limits come from broken files and may not even be finite.
_MIN_SIZE, _MAX_SIZE, _MAX_POSITION = 1.0, 2000.0, 1e6
_NARROWEST = 0.1
_NO_INK = 0.02  # points; PDFium makes the box of a missing glyph 0.01 high

Extent = tuple[float, float]
Box = tuple[float, float, float, float]


def sides(box: Box, quarter: int) -> Extent:
    left, bottom, right, top = box
    return ((left, right), (bottom, top), (-right, -left), (-top, -bottom))[quarter]


def enclosing(boxes: Iterable[Box]) -> Box:
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    return min(lefts), min(bottoms), max(rights), max(tops)


class Glyphs:
    """Queries PDFium about single characters; the ctypes cells are created once and reused for every character.

    A quarter is the rotation of a text: 1 reads upwards, 2 upside down, 3 downwards. Positions are given as if the page
    were rotated so that this text is upright. `box` is the page's: left, bottom, right, top.
    """

    def __init__(self, textpage: pdfium.PdfTextPage, box: Box) -> None:
        self._textpage = textpage
        self._page = box
        self._box = tuple(ctypes.c_double() for _ in range(4))
        self._line = pdfium_c.FS_RECTF()
        self._origin = (ctypes.c_double(), ctypes.c_double())
        self._matrix = pdfium_c.FS_MATRIX()
        self._without_ink: set[int] = set()
        self._added: dict[int, Box] = {}
        self._font = ctypes.create_string_buffer(128)

    def add(self, box: Box) -> int:
        """Add a character that is no text of the page, such as the mark of a ticked box, and return its index."""
        index = -2 - len(self._added)
        self._added[index] = box
        return index

    def quarter(self, index: int) -> int:
        """The rotation of a character: 0, 1, 2 or 3 quarters counterclockwise."""
        if index in self._added:
            return 0
        pdfium_c.FPDFText_GetMatrix(self._textpage, index, self._matrix)
        angle = atan2(self._matrix.b, self._matrix.a)
        return round(2 * angle / pi) % 4

    def height(self, quarter: int) -> float:
        """The height of the page when a text of this quarter is upright."""
        left, bottom, right, top = self._page
        return (right - left if quarter % 2 else top - bottom) or 1.0

    def box(self, index: int) -> Box:
        """The place of a character's ink on the page: left, bottom, right, top, in points, not rotated."""
        if index in self._added:
            return self._added[index]
        pdfium_c.FPDFText_GetCharBox(self._textpage, index, *self._box)
        left, right, bottom, top = (side.value for side in self._box)
        if min(right - left, top - bottom) < _NO_INK and pdfium_c.FPDFText_GetLooseCharBox(
            self._textpage, index, self._line
        ):
            self._without_ink.add(index)
            # Neither the file nor a font of this machine has a glyph of the character: use its place in the line.
            return self._line.left, self._line.bottom, self._line.right, self._line.top
        return left, bottom, right, top

    def baseline(self, index: int, quarter: int) -> float:
        """The height of a character's baseline above the lower edge of the page, in points."""
        if index in self._added:
            return self._added[index][1] - self._page[1]
        x, y = self._origin
        pdfium_c.FPDFText_GetCharOrigin(self._textpage, index, x, y)
        left, bottom, right, top = self._page
        height = (y.value - bottom, right - x.value, top - y.value, x.value - left)[quarter]
        return height if abs(height) < _MAX_POSITION else 0.0

    def exact_size(self, index: int) -> float:
        """The effective font size in points: many producers set size 1 and scale it by the matrix."""
        if index in self._added:
            return self._added[index][3] - self._added[index][1]
        pdfium_c.FPDFText_GetMatrix(self._textpage, index, self._matrix)
        scale = (self._matrix.c**2 + self._matrix.d**2) ** 0.5
        # A negative size turns the letters by 180°.
        return scale * abs(pdfium_c.FPDFText_GetFontSize(self._textpage, index))

    def is_pressed(self, index: int) -> bool:
        """True for a character that is drawn too narrow to be read."""
        if index in self._added:
            return False
        pdfium_c.FPDFText_GetMatrix(self._textpage, index, self._matrix)
        width, height = self._matrix.a**2 + self._matrix.b**2, self._matrix.c**2 + self._matrix.d**2
        return width < _NARROWEST**2 * height

    def size(self, index: int) -> float:
        """The effective font size, rounded to half points."""
        size = self.exact_size(index)
        return round(2 * size) / 2 if _MIN_SIZE < size < _MAX_SIZE else _MIN_SIZE

    def is_bold(self, index: int) -> bool:
        if index in self._added:
            return False
        flags = ctypes.c_int()
        pdfium_c.FPDFText_GetFontInfo(self._textpage, index, self._font, len(self._font), flags)
        return bool(_BOLD.search(self._font.value)) or pdfium_c.FPDFText_GetFontWeight(self._textpage, index) >= 600

    def is_drawn_by_file(self, index: int, item: pdfium_c.FPDF_PAGEOBJECT | None) -> bool:
        """False for a character that only a font of the reader's machine can draw, if no font of this machine can."""
        if index not in self._without_ink or not item:
            return True
        return pdfium_c.FPDFFont_GetIsEmbedded(pdfium_c.FPDFTextObj_GetFont(item)) == 1
