"""Which characters of a page a reader does not see, and why."""

import ctypes
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import groupby
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from citewell_documents.parsing.hidden import Reason
from citewell_documents.parsing.pdf.frames import Frame
from citewell_documents.parsing.pdf.glyphs import Box, Glyphs, enclosing
from citewell_documents.parsing.pdf.ink import is_unspaced
from citewell_documents.parsing.pdf.visible.drawing import Drawing, Region, Values

_SMALLEST, _SMALLEST_INK = 2.0, 1.5  # points: of the type, and of the ink of its capitals and digits
_SMALLEST_SHARE = 1 / 300  # of the longer side of the page
_LEAST, _LEAST_OF_LARGE = 14, 8  # of 255: how far a colour stands off from its ground
_LARGE = 24.0  # points
_LEAST_INK, _PAPER = 64, 0.4  # of 255: from the paper of a scan to its ink; and of a word's place that is paper
_CLEAR, _TRACE = 20, 2  # of 255: a change that is clear, and one that is none of rounding
_INVISIBLE, _CLIPPING = 3, 4  # render modes: of text below a scan; from 4 on what follows is seen through the letters
_STROKED = (1, 2, 5, 6)
_TOP, _FOOT = 0.15, 0.2  # of a character's height: there a line is no line above it or below it
_FEWEST = 2  # letters: the strokes of one may be a line
_LEVEL = 0.01  # of a line's length: one that rises more is drawn through the text for another reason
_LONGER = 2.0  # em beyond the words: a longer line is a rule, or part of a diagram


class Sight:
    def __init__(self, page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, glyphs: Glyphs, frame: Frame) -> None:
        self._drawing = Drawing(page, textpage, frame)
        self._textpage, self._glyphs, self._box = textpage, glyphs, frame.box
        self._quarter = page.get_rotation() // 90 % 4
        # A small page may be one of large units, which PDFium does not tell.
        self._smallest = min(_SMALLEST, _SMALLEST_SHARE * max(frame.width, frame.height))

    @property
    def is_blank(self) -> bool:
        """True if the page shows nothing."""
        return self._drawing.is_blank

    def unseen(self, places: Mapping[int, Box], codes: Mapping[int, int], quarter: int) -> dict[int, Reason]:
        """The characters of one line that are not seen; marks of punctuation go with the letters before them."""
        # A letter may be half of a character of UTF-16.
        letters = {index for index in places if chr(codes[index]).isalnum() or codes[index] & 0xF800 == 0xD800}
        judged = letters or {*places}  # a line of marks has no letters that they go with
        clear = self._drawing.clear_among(places, _SMALLEST_INK)
        reasons: dict[int, Reason] = {
            index: reason
            for index, box in places.items()
            if index not in clear and index in judged and (reason := self._reason(index, box, quarter))
        }
        faint = [index for index, reason in reasons.items() if reason == "unseen"]
        drawn = letters - reasons.keys()
        if faint and self._is_recognised(faint, places, codes):
            reasons = {index: reason for index, reason in reasons.items() if reason != "unseen"}
        if (rules := self._drawing.rules) and quarter == self._quarter:
            # The letters of a scan are lines in its picture: those of some scripts hang from one.
            boxes = {index: box for index, box in places.items() if index in drawn}
            for index in self._struck(rules, boxes, codes):
                reasons[index] = "struck"
        if reasons:
            before: Reason | None = None
            for index in places:
                before = reasons.get(index) if index in judged else before
                if before:
                    reasons[index] = before
        return reasons

    def _is_recognised(self, faint: list[int], places: Mapping[int, Box], codes: Mapping[int, int]) -> bool:
        """True if text recognition put these characters below or behind a scan: most words lie over ink of a picture.

        What is drawn as usual and lies behind a picture may be covered by a photograph; a scan shows ink on paper.
        """
        if not self._drawing.pictures:
            return False
        shown = [
            len(word)
            for word in _words(faint, codes)
            if self._is_pictured(box := enclosing(places[index] for index in word))
            and self._is_over_ink(box, on_paper=not self._is_invisible(word[0]))
        ]
        return 2 * sum(shown) >= len(faint)

    def _is_pictured(self, box: Box) -> bool:
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        return any(left <= x <= right and low <= y <= high for left, low, right, high in self._drawing.pictures)

    def _is_invisible(self, index: int) -> bool:
        item = pdfium_c.FPDFText_GetTextObject(self._textpage, index)
        return bool(item) and pdfium_c.FPDFTextObj_GetTextRenderMode(item) == _INVISIBLE

    def _is_over_ink(self, box: Box, *, on_paper: bool = False) -> bool:
        """True if the page shows something at the place of what is not drawn; `on_paper`: most of it on one tone."""
        colours = self._drawing.colours
        left, top, right, bottom = colours.places.region(box)
        around = colours.ground.crop((max(left - 2, 0), max(top - 2, 0), right + 2, bottom + 2))
        counts = around.convert("L").histogram()
        tones = [tone for tone, count in enumerate(counts) if count]
        contrast = tones[-1] - tones[0]
        if not on_paper:
            return contrast >= _LEAST
        paper = max(sum(counts[: tones[0] + contrast // 4 + 1]), sum(counts[tones[-1] - contrast // 4 :]))
        return contrast >= _LEAST_INK and paper >= _PAPER * sum(counts)

    def _reason(self, index: int, box: Box, quarter: int) -> Reason | None:
        if index < 0:  # a box of a form
            return None
        left, bottom, right, top = self._box
        if not (left <= (box[0] + box[2]) / 2 <= right and bottom <= (box[1] + box[3]) / 2 <= top):
            return "outside"
        high, wide = box[3] - box[1], box[2] - box[0]
        if quarter % 2:
            high, wide = wide, high
        if high < _SMALLEST_INK and self._glyphs.exact_size(index) < self._smallest:
            return "small"
        if wide < _SMALLEST_INK and self._glyphs.is_pressed(index):
            return "small"
        if self._drawing.is_clear(box, partial(pdfium_c.FPDFText_GetTextObject, self._textpage, index)):
            return None
        return None if self._shows(index, box) else "unseen"

    def _shows(self, index: int, box: Box) -> bool:
        """The second look at a character that is not seen clearly."""
        colours = self._drawing.colours
        region = colours.places.region(box)
        item = pdfium_c.FPDFText_GetTextObject(self._textpage, index)
        mode = pdfium_c.FPDFTextObj_GetTextRenderMode(item) if item else 0
        if item and not self._drawing.judges(item):
            return True
        change = colours.change(item, region)
        if change >= _CLEAR or (mode >= _CLIPPING and self._is_over_ink(box)):
            return True
        if change < _TRACE and self._glyphs.is_drawn_by_file(index, item):
            return False
        return mode != _INVISIBLE and self._stands_off(index, region, stroked=mode in _STROKED)

    def _stands_off(self, index: int, region: Region, *, stroked: bool) -> bool:
        """True if the colour differs from the ground's: thin letters change no pixel as much as their colour does."""
        middle = ((region.left + region.right) // 2, (region.top + region.bottom) // 2)
        ground = self._drawing.colours.ground.getpixel(middle)
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

    def _struck(self, rules: Values, boxes: Mapping[int, Box], codes: Mapping[int, int]) -> set[int]:
        """The characters of the words most of whose letters have a line through them, if it goes along the text and
        does not go on beyond it, as rules of diagrams do.
        """
        struck: set[int] = set()
        if not boxes or not rules.has(255, self._drawing.places.region(enclosing(boxes.values()))):
            return struck
        regions = {index: self._drawing.places.region(box) for index, box in boxes.items()}
        longer = round(_LONGER * self._glyphs.exact_size(next(iter(boxes))) * self._drawing.places.scale)
        through = {index: _line_through(rules, region) for index, region in regions.items()}
        for is_struck, group in groupby(through, key=lambda index: through[index] is not None):
            run = [*group]
            middle = regions[run[len(run) // 2]]
            row = through[run[len(run) // 2]]
            first, last = min(regions[index].left for index in run), max(regions[index].right for index in run)
            if row is None or not is_struck or len(run) < _FEWEST:
                continue
            line = _followed(rules, (middle.left, row), first - longer, last + longer)
            if line.is_level and first - longer < line.left and line.right < last + longer:
                items = ((index, pdfium_c.FPDFText_GetTextObject(self._textpage, index)) for index in run)
                struck.update(index for index, item in items if not item or self._drawing.judges(item))
        return {
            index for word in _words(boxes, codes) if 2 * len(struck.intersection(word)) > len(word) for index in word
        }


class _Rule(NamedTuple):
    """A line in the picture, from its first pixel to beyond its last; `rise`: the rows from the one to the other."""

    left: int
    right: int
    rise: int

    @property
    def is_level(self) -> bool:
        return self.rise <= max(1, _LEVEL * (self.right - self.left))


def _followed(rules: Values, start: tuple[int, int], first: int, last: int) -> _Rule:
    """The line through a pixel, which may rise or fall by a row at each step, no further than from first to last."""

    def end(step: int, limit: int) -> tuple[int, int]:
        at, row = start
        while at != limit:
            near = (row, row - 1, row + 1)
            if (following := next((to for to in near if _is_rule(rules, to, at + step, at + step + 1)), None)) is None:
                break
            at, row = at + step, following
        return at, row

    (left, row_left), (right, row_right) = end(-1, first), end(1, last)
    return _Rule(left, right + 1, abs(row_left - row_right))


def _words(places: Iterable[int], codes: Mapping[int, int]) -> Iterator[list[int]]:
    """The characters by the words that they make: a space has no place, and some scripts are written without."""
    for _, word in groupby(
        enumerate(places), key=lambda numbered: (numbered[1] - numbered[0], is_unspaced(chr(codes[numbered[1]])))
    ):
        indices = [index for _, index in word]
        if is_unspaced(chr(codes[indices[0]])):
            yield from ([index] for index in indices)
        else:
            yield indices


def _line_through(rules: Values, region: Region) -> int | None:
    """The row of pixels of a line through the middle of a character, from one side of it to the other."""
    high = region.bottom - region.top
    rows = range(region.top + round(_TOP * high), region.bottom - round(_FOOT * high))
    return next((row for row in rows if _goes_through(rules, row, region)), None)


def _goes_through(rules: Values, row: int, region: Region) -> bool:
    """True if a line is as long as the character, and longer on one side: one that a letter itself has is not."""
    left, _, right, _ = region
    return _is_rule(rules, row, left, right) and (
        _is_rule(rules, row, left - 1, left) or _is_rule(rules, row, right, right + 1)
    )


def _is_rule(rules: Values, row: int, left: int, right: int) -> bool:
    if left < 0 or right > rules.width or not 0 <= row < rules.height:
        return False
    return rules.bytes.find(0, row * rules.width + left, row * rules.width + right) < 0
