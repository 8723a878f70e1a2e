"""A page of a PDF drawn with its texts and without them: what differs is what a reader sees of them."""

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from math import ceil, isfinite
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from PIL import Image, ImageChops

from citewell_documents.parsing.pdf.frames import Frame
from citewell_documents.parsing.pdf.glyphs import Box

_SCALE, _MOST_PIXELS = 1.5, 3_000_000  # pixels a point, and of a picture
_CLEAR = 20  # of 255, in one of red, green and blue: more than what remains of a colour near that of its ground
_FEW = 4  # pixels: then those that a character shares with its neighbours are needed, too
_MOST_OBJECTS, _DEEPEST = 20_000, 8
_MOST_LAYERS = 4
_SHARED = 0.3  # of the narrower of two texts, so that kerned letters and marks above them do not count

Matrix = tuple[float, float, float, float, float, float]
_UNIT: Matrix = (1, 0, 0, 1, 0, 0)


class _Text(NamedTuple):
    """A text object, with its bounds on the page."""

    item: pdfium_c.FPDF_PAGEOBJECT
    bounds: Box


class Region(NamedTuple):
    """Pixels of a picture, half-open."""

    left: int
    top: int
    right: int
    bottom: int


class Difference:
    """How much each pixel changes where texts are taken away."""

    def __init__(self, whole: Image.Image, without: Image.Image) -> None:
        red, green, blue = ImageChops.difference(whole, without).split()
        largest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
        self.width = largest.width
        self._values = largest.tobytes()
        self._clear = largest.point([255 * (value >= _CLEAR) for value in range(256)]).tobytes()

    def is_clear(self, region: Region) -> bool:
        middle = (region.top + region.bottom) // 2  # most letters have ink there
        rows = (middle, *range(region.top, region.bottom))
        return any(
            self._clear.find(255, row * self.width + region.left, row * self.width + region.right) >= 0 for row in rows
        )

    def most(self, region: Region) -> int:
        rows = (
            self._values[row * self.width + region.left : row * self.width + region.right]
            for row in range(region.top, region.bottom)
        )
        return max((max(row) for row in rows if row), default=0)


class Drawing:
    """`ground` is the page without its texts. Texts that lie over each other are taken away one after the other, so
    that one which shows does not speak for one that does not."""

    def __init__(self, page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, frame: Frame) -> None:
        self._frame = frame
        self.scale = min(_SCALE, (_MOST_PIXELS / (frame.width * frame.height)) ** 0.5)
        self.whole = self._drawn(page)
        texts = list(_texts(page))
        with _inactive(texts):
            self.ground = self._drawn(page)
        self._usual = Difference(self.whole, self.ground)
        self._others: dict[int, Difference] = {}
        for layer in _layers(texts, textpage):
            with _inactive(layer):
                difference = Difference(self.whole, self._drawn(page))
            self._others |= {_address(text.item): difference for text in layer}

    @property
    def is_blank(self) -> bool:
        return all(low == high for low, high in self.whole.getextrema())

    @property
    def has_layers(self) -> bool:
        return bool(self._others)

    def difference(self, item: pdfium_c.FPDF_PAGEOBJECT | None) -> Difference:
        """What the text object changes; None for those that overlap no others."""
        return self._others.get(_address(item), self._usual) if item else self._usual

    def region(self, box: Box) -> Region:
        """The pixels within a box of the page, at least one."""
        left, top, right, bottom = (side * self.scale for side in self._frame.displayed(box))
        across, down = _within(left, right, self.whole.width), _within(top, bottom, self.whole.height)
        return Region(across[0], down[0], across[1], down[1])

    def _drawn(self, page: pdfium.PdfPage) -> Image.Image:
        return page.render(scale=self.scale).to_pil().convert("RGB")


def _within(low: float, high: float, size: int) -> tuple[int, int]:
    first, last = ceil(low), int(high)
    if last - first < _FEW:
        first, last = int(low), ceil(high)
    first = min(max(first, 0), size - 1)
    return first, min(max(last, first + 1), size)


def _address(item: pdfium_c.FPDF_PAGEOBJECT) -> int:
    return ctypes.addressof(item.contents)


def _texts(page: pdfium.PdfPage) -> Iterator[_Text]:
    count = pdfium_c.FPDFPage_CountObjects(page)
    items = (pdfium_c.FPDFPage_GetObject(page, index) for index in range(min(count, _MOST_OBJECTS)))
    yield from _texts_among(items, _UNIT, _DEEPEST)


def _texts_among(items: Iterable[pdfium_c.FPDF_PAGEOBJECT], matrix: Matrix, depth: int) -> Iterator[_Text]:
    edges = tuple(ctypes.c_float() for _ in range(4))
    for item in items:
        kind = pdfium_c.FPDFPageObj_GetType(item)
        if kind == pdfium_c.FPDF_PAGEOBJ_TEXT:
            pdfium_c.FPDFPageObj_GetBounds(item, *edges)
            yield _Text(item, _placed(tuple(edge.value for edge in edges), matrix))
        elif kind == pdfium_c.FPDF_PAGEOBJ_FORM and depth:
            own = pdfium_c.FS_MATRIX()
            pdfium_c.FPDFPageObj_GetMatrix(item, own)
            count = min(max(0, pdfium_c.FPDFFormObj_CountObjects(item)), _MOST_OBJECTS)
            inner = (pdfium_c.FPDFFormObj_GetObject(item, index) for index in range(count))
            yield from _texts_among(inner, _product((own.a, own.b, own.c, own.d, own.e, own.f), matrix), depth - 1)


def _product(first: Matrix, second: Matrix) -> Matrix:
    a, b, c, d, e, f = first
    m, n, o, p, q, r = second
    return a * m + b * o, a * n + b * p, c * m + d * o, c * n + d * p, e * m + f * o + q, e * n + f * p + r


def _placed(box: tuple[float, ...], matrix: Matrix) -> Box:
    left, bottom, right, top = box
    a, b, c, d, e, f = matrix
    xs = [a * x + c * y + e for x in (left, right) for y in (bottom, top)]
    ys = [b * x + d * y + f for x in (left, right) for y in (bottom, top)]
    return min(xs), min(ys), max(xs), max(ys)


@contextmanager
def _inactive(texts: Sequence[_Text]) -> Iterator[None]:
    for text in texts:
        pdfium_c.FPDFPageObj_SetIsActive(text.item, False)
    try:
        yield
    finally:
        for text in texts:
            pdfium_c.FPDFPageObj_SetIsActive(text.item, True)


def _layers(texts: Sequence[_Text], textpage: pdfium.PdfTextPage) -> list[list[_Text]]:
    """The texts that lie over different ones, parted so that those of one layer do not."""
    over: dict[int, set[int]] = {}
    for first, second in _overlapping(texts):
        if _words(texts[first], textpage) != _words(texts[second], textpage):  # else a shadow, or bold by drawing twice
            over.setdefault(first, set()).add(second)
            over.setdefault(second, set()).add(first)
    layers: dict[int, int] = {}
    for at in sorted(over):
        taken = {layers[near] for near in over[at] if near in layers}
        layers[at] = next((layer for layer in range(_MOST_LAYERS - 1) if layer not in taken), _MOST_LAYERS - 1)
    return [[texts[at] for at in over if layers[at] == layer] for layer in sorted(set(layers.values()))]


def _overlapping(texts: Sequence[_Text]) -> Iterator[tuple[int, int]]:
    """Pairs of texts that share a part of their places; of more than two at one place the nearest pairs."""
    rows: dict[int, list[int]] = {}
    heights = sorted(text.bounds[3] - text.bounds[1] for text in texts)
    step = max(heights[len(heights) // 2], 2.0) / 2 if heights else 1.0
    for at, text in enumerate(texts):
        if all(map(isfinite, text.bounds)) and abs(text.bounds[1]) < 1e6 and text.bounds[2] > text.bounds[0]:
            row = int((text.bounds[1] + text.bounds[3]) / 2 // step)
            for near in (row, row + 1):
                rows.setdefault(near, []).append(at)
    for row in rows.values():
        row.sort(key=lambda at: texts[at].bounds[0])
        for first, second in pairwise(row):
            if _share(texts[first].bounds, texts[second].bounds):
                yield first, second


def _share(first: Box, second: Box) -> bool:
    wide = min(first[2], second[2]) - max(first[0], second[0])
    high = min(first[3], second[3]) - max(first[1], second[1])
    return wide > _SHARED * min(first[2] - first[0], second[2] - second[0]) and high > _SHARED * min(
        first[3] - first[1], second[3] - second[1]
    )


def _words(text: _Text, textpage: pdfium.PdfTextPage) -> bytes:
    size = pdfium_c.FPDFTextObj_GetText(text.item, textpage, None, 0)
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    pdfium_c.FPDFTextObj_GetText(text.item, textpage, buffer, size)
    return bytes(buffer)
