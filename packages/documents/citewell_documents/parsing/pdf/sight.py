"""Which characters of a page a reader does not see, and why."""

import ctypes
from collections.abc import Callable, Mapping
from itertools import groupby

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from citewell_documents.parsing.hidden import Reason
from citewell_documents.parsing.pdf.drawing import Drawing, Region
from citewell_documents.parsing.pdf.frames import Frame
from citewell_documents.parsing.pdf.glyphs import Box, Glyphs

_SMALLEST, _SMALLEST_INK = 2.0, 1.5  # points: of the type, and of the ink of its capitals and digits
_SMALLEST_SHARE = 1 / 300  # of the longer side of the page
_LEAST, _LEAST_OF_LARGE = 14, 8  # of 255: how far a colour stands off from its ground
_LARGE = 24.0  # points
_TRACE = 2  # of 255: a change that is none of rounding
_INVISIBLE, _CLIPPING = 3, 4  # render modes: of text below a scan; from 4 on what follows is seen through the letters
_STROKED = (1, 2, 5, 6)
_LINE = 40  # of 255: how far a line through a word stands off from what is above and below it
_TOP, _FOOT = 0.25, 0.2  # of a character's height: there a line is no line above it or below it
_BESIDE = 0.25  # em: how far above and below the line its ground is looked at
_LONGER = 2.0  # em: a line that goes on further is a rule or belongs to a diagram


class Sight:
    def __init__(self, page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, glyphs: Glyphs, frame: Frame) -> None:
        self.drawing = Drawing(page, textpage, frame)
        self._textpage, self._glyphs, self._frame = textpage, glyphs, frame
        self._quarter = page.get_rotation() // 90 % 4
        # A small page may be one of large units, which PDFium does not tell.
        self._smallest = min(_SMALLEST, _SMALLEST_SHARE * max(frame.width, frame.height))
        grey = self.drawing.ground.convert("L")
        low, high = grey.getextrema()
        self._has_lines = int(high) - int(low) >= _LINE
        self._grey, self._width, self._height = grey.tobytes(), grey.width, grey.height

    def unseen(self, places: Mapping[int, Box], codes: Mapping[int, int], quarter: int) -> dict[int, Reason]:
        """The characters of one line that are not seen; marks of punctuation go with the letters before them."""
        reasons: dict[int, Reason] = {}
        before: Reason | None = None
        waiting: list[int] = []
        struck = self._struck(places, codes, quarter)
        for index, box in places.items():
            if not chr(codes[index]).isalnum() and codes[index] & 0xF800 != 0xD800:
                if before:
                    reasons[index] = before
                waiting.append(index)
                continue
            reason = self._reason(index, box, quarter) or ("struck" if index in struck else None)
            if reason:
                reasons[index] = reason
            before = reason
        if places and len(waiting) == len(places):
            # A line of marks has no letters to go with.
            return {index: reason for index in waiting if (reason := self._reason(index, places[index], quarter))}
        return reasons

    def is_over_ink(self, box: Box) -> bool:
        """True if the page shows something at the place of a character that is not drawn, as a scan does."""
        region = self.drawing.region(box)
        wide = (max(region.left - 2, 0), max(region.top - 2, 0), region.right + 2, region.bottom + 2)
        low, high = self.drawing.ground.crop(wide).convert("L").getextrema()
        return int(high) - int(low) >= _LEAST

    def _reason(self, index: int, box: Box, quarter: int) -> Reason | None:
        left, bottom, right, top = self._frame.box
        across, up = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        if not (left <= across <= right and bottom <= up <= top):
            return "outside"
        high = box[2] - box[0] if quarter % 2 else box[3] - box[1]
        if high < _SMALLEST_INK and self._glyphs.exact_size(index) < self._smallest:
            return "small"
        region = self.drawing.region(box)
        item = pdfium_c.FPDFText_GetTextObject(self._textpage, index) if self.drawing.has_layers else None
        difference = self.drawing.difference(item)
        if difference.is_clear(region) or self._shows(index, box, region, difference.most):
            return None
        return "unseen"

    def _shows(self, index: int, box: Box, region: Region, most: Callable[[Region], int]) -> bool:
        """The second look at a character that changes its place a little or not at all."""
        item = pdfium_c.FPDFText_GetTextObject(self._textpage, index)
        mode = pdfium_c.FPDFTextObj_GetTextRenderMode(item) if item else 0
        if mode >= _CLIPPING and self.is_over_ink(box):
            return True
        if most(region) < _TRACE and self._glyphs.is_drawn_by_file(index, item):
            return False
        return mode != _INVISIBLE and self._stands_off(index, region, stroked=mode in _STROKED)

    def _stands_off(self, index: int, region: Region, *, stroked: bool) -> bool:
        """True if the colour differs from the ground's: thin letters change no pixel as much as their colour does."""
        ground = self.drawing.ground.getpixel(((region.left + region.right) // 2, (region.top + region.bottom) // 2))
        if not isinstance(ground, tuple):
            return True
        least = _LEAST_OF_LARGE if self._glyphs.exact_size(index) >= _LARGE else _LEAST
        for get in (pdfium_c.FPDFText_GetFillColor, *([pdfium_c.FPDFText_GetStrokeColor] if stroked else [])):
            red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
            if not get(self._textpage, index, red, green, blue, alpha):
                return True  # a pattern
            colour = (red.value, green.value, blue.value)
            apart = max(abs(own - below) for own, below in zip(colour, ground, strict=False))
            if apart * alpha.value / 255 >= least:
                return True
        return False

    def _struck(self, places: Mapping[int, Box], codes: Mapping[int, int], quarter: int) -> set[int]:
        """The characters with a line through them that does not go on beyond them, as rules of diagrams do."""
        if not self._has_lines or quarter != self._quarter:
            return set()
        letters = (index for index in places if chr(codes[index]).isalnum())
        regions = {index: self.drawing.region(places[index]) for index in letters}
        em = self._glyphs.exact_size(next(iter(places))) * self.drawing.scale
        beside = max(2, round(_BESIDE * em))
        through = {index: self._line_through(region, beside) for index, region in regions.items()}
        struck: set[int] = set()
        for is_struck, group in groupby(through, key=lambda index: through[index] is not None):
            run = [*group]
            row = through[run[len(run) // 2]]
            if row is None or not is_struck:
                continue
            first, last = min(regions[index].left for index in run), max(regions[index].right for index in run)
            ends = (round(first - _LONGER * em), round(last + _LONGER * em))
            goes_on = any(self._is_line(row, end, end + 1, beside) for end in ends if 0 <= end < self._width)
            if last - first >= em / 3 and not goes_on:
                struck.update(run)
        return struck

    def _line_through(self, region: Region, beside: int) -> int | None:
        """The row of pixels of a line through the middle of a character, from one side of it to the other."""
        high = region.bottom - region.top
        left, right = max(region.left - 1, 0), min(region.right + 1, self._width)  # between letters, too
        rows = range(region.top + round(_TOP * high), region.bottom - round(_FOOT * high))
        return next((row for row in rows if self._is_line(row, left, right, beside)), None)

    def _is_line(self, row: int, left: int, right: int, beside: int) -> bool:
        if not beside <= row < self._height - beside:
            return False
        grey, start = self._grey, row * self._width
        above, below = start - beside * self._width, start + beside * self._width
        return all(
            abs(grey[start + x] - grey[above + x]) >= _LINE and abs(grey[start + x] - grey[below + x]) >= _LINE
            for x in range(left, right)
        )
