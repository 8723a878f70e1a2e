"""The text objects of a page of a PDF: which there are, which lie over others, and the page without them."""

import ctypes
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, pairwise
from math import isfinite
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from citewell_documents.parsing.pdf.frames import UNCHANGED, Matrix, matrix_within
from citewell_documents.parsing.pdf.glyphs import Box

_MOST_OBJECTS, _DEEPEST = 20_000, 8
_MOST_LAYERS = 4
_SHARED = 0.5  # of the narrower of two texts, so that kerned letters and marks above them do not count
_MAX_POSITION = 1e6


class TextObject(NamedTuple):
    item: pdfium_c.FPDF_PAGEOBJECT
    bounds: Box


def texts_of(page: pdfium.PdfPage) -> list[TextObject]:
    """The text objects of the page; those beyond the limits are left out, so nothing can be said of them."""
    return [TextObject(item, box) for item, box in _objects(page, pdfium_c.FPDF_PAGEOBJ_TEXT)]


def are_alone(texts: Sequence[TextObject], page: pdfium.PdfPage) -> bool:
    """True if the page draws nothing but these texts."""
    count = pdfium_c.FPDFPage_CountObjects(page)
    if count != len(texts) or pdfium_c.FPDFPage_GetAnnotCount(page):
        return False
    items = (pdfium_c.FPDFPage_GetObject(page, index) for index in range(count))
    return all(pdfium_c.FPDFPageObj_GetType(item) == pdfium_c.FPDF_PAGEOBJ_TEXT for item in items)


def pictures_of(page: pdfium.PdfPage) -> list[Box]:
    """Where the page has pictures."""
    return [box for _, box in _objects(page, pdfium_c.FPDF_PAGEOBJ_IMAGE)]


def address(item: pdfium_c.FPDF_PAGEOBJECT) -> int:
    return ctypes.addressof(item.contents)


@contextmanager
def without(texts: Sequence[TextObject]) -> Generator[None]:
    """The page is drawn without the texts."""
    for text in texts:
        pdfium_c.FPDFPageObj_SetIsActive(text.item, False)
    try:
        yield
    finally:
        for text in texts:
            pdfium_c.FPDFPageObj_SetIsActive(text.item, True)


def layers_of(texts: Sequence[TextObject], textpage: pdfium.PdfTextPage) -> list[list[TextObject]]:
    """The texts that share their places with different ones, parted so that those of one layer do not."""
    over: dict[int, set[int]] = {}
    pairs = [*_overlapping(texts)]
    words_of = _words_of(textpage) if pairs else {}
    for first, second in pairs:
        words = {words_of.get(address(texts[at].item), "") for at in (first, second)}
        if len(words) > 1 and "" not in words:  # else spaces, a shadow, or bold by drawing twice
            over.setdefault(first, set()).add(second)
            over.setdefault(second, set()).add(first)
    layers: dict[int, int] = {}
    for at in sorted(over):
        taken = {layers[near] for near in over[at] if near in layers}
        layers[at] = next((layer for layer in range(_MOST_LAYERS - 1) if layer not in taken), _MOST_LAYERS - 1)
    return [[texts[at] for at in over if layers[at] == layer] for layer in sorted(set(layers.values()))]


def _objects(page: pdfium.PdfPage, kind: int) -> Iterator[tuple[pdfium_c.FPDF_PAGEOBJECT, Box]]:
    count = pdfium_c.FPDFPage_CountObjects(page)
    items = (pdfium_c.FPDFPage_GetObject(page, index) for index in range(min(count, _MOST_OBJECTS)))
    return islice(_among(items, kind, UNCHANGED, _DEEPEST), _MOST_OBJECTS)


def _among(
    items: Iterable[pdfium_c.FPDF_PAGEOBJECT], kind: int, matrix: Matrix, depth: int
) -> Iterator[tuple[pdfium_c.FPDF_PAGEOBJECT, Box]]:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    for item in items:
        own_kind = pdfium_c.FPDFPageObj_GetType(item)
        if own_kind == kind:
            pdfium_c.FPDFPageObj_GetBounds(item, left, bottom, right, top)
            box = (left.value, bottom.value, right.value, top.value)
            yield item, box if matrix is UNCHANGED else _placed(box, matrix)
        elif own_kind == pdfium_c.FPDF_PAGEOBJ_FORM and depth:
            count = min(max(0, pdfium_c.FPDFFormObj_CountObjects(item)), _MOST_OBJECTS)
            inner = (pdfium_c.FPDFFormObj_GetObject(item, index) for index in range(count))
            yield from _among(inner, kind, matrix_within(item, matrix), depth - 1)


def _placed(box: Box, matrix: Matrix) -> Box:
    left, bottom, right, top = box
    a, b, c, d, e, f = matrix
    xs = [a * x + c * y + e for x in (left, right) for y in (bottom, top)]
    ys = [b * x + d * y + f for x in (left, right) for y in (bottom, top)]
    return min(xs), min(ys), max(xs), max(ys)


def _overlapping(texts: Sequence[TextObject]) -> Iterator[tuple[int, int]]:
    """Pairs of texts that share a part of their places; of more than two at one place the nearest pairs."""
    sound = [
        (at, box)
        for at, (_, box) in enumerate(texts)
        if box[2] > box[0] and abs(box[1]) < _MAX_POSITION and abs(box[3]) < _MAX_POSITION and isfinite(box[0])
    ]
    heights = sorted(box[3] - box[1] for _, box in sound)
    step = max(heights[len(heights) // 2], 2.0) if heights else 1.0
    rows: dict[int, list[tuple[float, int]]] = {}
    for at, box in sound:
        row = int((box[1] + box[3]) / step)  # rows of half the height
        rows.setdefault(row, []).append((box[0], at))
        rows.setdefault(row + 1, []).append((box[0], at))
    for row in rows.values():
        row.sort()
        for (_, first), (left, second) in pairwise(row):
            if left < texts[first].bounds[2] and _share(texts[first].bounds, texts[second].bounds):
                yield first, second


def _share(first: Box, second: Box) -> bool:
    wide = min(first[2], second[2]) - max(first[0], second[0])
    high = min(first[3], second[3]) - max(first[1], second[1])
    return wide > _SHARED * min(first[2] - first[0], second[2] - second[0]) and high > _SHARED * min(
        first[3] - first[1], second[3] - second[1]
    )


def _words_of(textpage: pdfium.PdfTextPage) -> dict[int, str]:
    """The words of each text object by its address. PDFium would search the whole page for the words of each."""
    units: dict[int, list[str]] = {}
    for index in range(textpage.count_chars()):
        if item := pdfium_c.FPDFText_GetTextObject(textpage, index):
            units.setdefault(address(item), []).append(chr(pdfium_c.FPDFText_GetUnicode(textpage, index)))
    return {at: "".join(characters).strip("\0 \xa0\t\r\n") for at, characters in units.items()}
