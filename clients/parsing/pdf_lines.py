"""The lines of a PDF page with the geometry that tells paragraphs, tables and headings."""

import ctypes
import re
import unicodedata
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

_NEWLINES = (0x0A, 0x0D)
_SOFT_HYPHEN = 0xAD
_DIVIDED = 0x02  # what PDFium makes of a hyphen that divides a word; in some symbol fonts a character
_BOLD = re.compile(rb"bold|black|heavy|[^a-z]demi|CMBX|SFBX|LMRoman\d+-?Bold", re.IGNORECASE)
# Justified text stretches its spaces to about one em; the columns of a table stand further apart.
CELL_GAP_EM = 1.5
_LABEL = re.compile(r"^\s*((?:\d+(?:\.\d+)*|[A-Za-z]|[ivxIVX]+)[.)]?|[•◦▪‣●○■□–—*·-])\t")
_LEADERS = re.compile(r"[ \t]*(?:\.[ \t]?){5,}[ \t]*")
_SPACES = re.compile(r"[ \xa0]+")
_MEANINGLESS = frozenset({"Cc", "Co", "Cs", "Cn"})
# Outside of these a number is nonsense of a broken file, perhaps not even finite.
_MIN_SIZE, _MAX_SIZE, _MAX_POSITION = 1.0, 2000.0, 1e6
_MARGIN = 0.12  # of the height of the page
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})


@dataclass(frozen=True, slots=True)
class Line:
    """One line: `left` and `right` in the direction of reading, the baseline `y` from the page's lower edge, and the
    font `size`, all in points. `margin`: in the zone of running headers and footers. `divided`: the last word goes on
    in the next line. `spaced`: a space follows the last word.
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

    @property
    def cells(self) -> bool:
        """Whether the line is a row of a table."""
        return "\t" in self.text


def read_lines(textpage: pdfium.PdfTextPage, count: int, page_height: float) -> list[Line]:
    """Return the lines of a page in PDFium's reading order; `count` is the number of its characters."""
    reader = _Reader(textpage, page_height)
    for index in range(count):
        code = pdfium_c.FPDFText_GetUnicode(textpage, index)
        if code in _NEWLINES:
            reader.end_line()
        elif code == _SOFT_HYPHEN or (code == _DIVIDED and pdfium_c.FPDFText_IsHyphen(textpage, index) == 1):
            reader.end_line(divided=True)
        else:
            reader.characters.append((index, code))
    reader.end_line()
    return reader.lines


class _Reader:
    """Collects characters and closes lines. The ctypes cells are made once: PDFium fills them for every character."""

    def __init__(self, textpage: pdfium.PdfTextPage, page_height: float) -> None:
        self.lines: list[Line] = []
        self.characters: list[tuple[int, int]] = []
        self._textpage = textpage
        self._page_height = page_height
        self._box = tuple(ctypes.c_double() for _ in range(4))
        self._origin = (ctypes.c_double(), ctypes.c_double())
        self._matrix = pdfium_c.FS_MATRIX()
        self._font = ctypes.create_string_buffer(128)

    def end_line(self, *, divided: bool = False) -> None:
        characters, self.characters = self.characters, []
        seen = [index for index, code in characters if code > 0x20 and code != 0xA0]
        if not seen:
            return
        sample = (seen[0], seen[len(seen) // 2], seen[-1])
        size = sorted(self._size(index) for index in sample)[1]
        boxes = {index: self._sides(index) for index in seen}
        text = readable(self._joined(characters, boxes, size))
        if not text.strip():
            return
        left, right = min(box[0] for box in boxes.values()), max(box[1] for box in boxes.values())
        if _is_rtl(text):
            left, right = -right, -left
        y = sorted(self._baseline(index) for index in sample)[1]
        self.lines.append(
            Line(
                text=text.strip(),
                left=left,
                right=right,
                y=y,
                size=size,
                bold=all(self._is_bold(index) for index in sample),
                margin=not _MARGIN < y / self._page_height < 1 - _MARGIN,
                divided=divided,
                spaced=text[-1].isspace(),
            )
        )

    def _joined(self, characters: list[tuple[int, int]], boxes: dict[int, tuple[float, float]], size: float) -> str:
        """The characters as UTF-16 units, with a tab for the spaces in a gap that separates table cells."""
        parts: list[str] = []
        end: tuple[float, float] | None = None
        for index, code in characters:
            if box := boxes.get(index):
                if end and max(box[0] - end[1], end[0] - box[1]) > CELL_GAP_EM * size:
                    while parts and parts[-1].isspace():
                        parts.pop()
                    parts.append("\t")
                end = box
            parts.append(chr(code))
        return "".join(parts)

    def _sides(self, index: int) -> tuple[float, float]:
        left, right, bottom, top = self._box
        pdfium_c.FPDFText_GetCharBox(self._textpage, index, left, right, bottom, top)
        return left.value, right.value

    def _baseline(self, index: int) -> float:
        x, y = self._origin
        pdfium_c.FPDFText_GetCharOrigin(self._textpage, index, x, y)
        return y.value if abs(y.value) < _MAX_POSITION else 0.0

    def _size(self, index: int) -> float:
        """The size as seen: many producers write size 1 and scale it by the matrix. Rounded to half points."""
        pdfium_c.FPDFText_GetMatrix(self._textpage, index, self._matrix)
        scale = (self._matrix.c**2 + self._matrix.d**2) ** 0.5
        size = scale * pdfium_c.FPDFText_GetFontSize(self._textpage, index)
        return round(2 * size) / 2 if _MIN_SIZE < size < _MAX_SIZE else _MIN_SIZE

    def _is_bold(self, index: int) -> bool:
        flags = ctypes.c_int()
        pdfium_c.FPDFText_GetFontInfo(self._textpage, index, self._font, len(self._font), flags)
        return bool(_BOLD.search(self._font.value)) or pdfium_c.FPDFText_GetFontWeight(self._textpage, index) >= 600


def readable(units: str) -> str:
    """Return the text of UTF-16 `units`: ligatures spelled out, without what has no meaning outside its font."""
    text = units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore").translate(_LIGATURES)
    if text and unicodedata.category(text[0]) in _MEANINGLESS:
        text = "•" + text[1:]  # what symbol fonts have at the start of a line are bullets
    if not text.isprintable():
        text = "".join(c for c in text if c == "\t" or unicodedata.category(c) not in _MEANINGLESS)
    return _LABEL.sub(r"\1 ", _LEADERS.sub("\t", _SPACES.sub(" ", text)))


def _is_rtl(text: str) -> bool:
    directions = (unicodedata.bidirectional(character) for character in text)
    return next((direction != "L" for direction in directions if direction in ("L", "R", "AL")), False)
