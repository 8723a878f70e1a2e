"""The pictures on a page of a PDF, the alternative texts that a tagged PDF has for them, and their captions."""

import ctypes
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from citewell_documents.figures import Figure
from citewell_documents.parsing.pdf.annotations import Note, read_string
from citewell_documents.parsing.pdf.glyphs import Box, Extent, enclosing, sides
from citewell_documents.parsing.pdf.lines import Line
from citewell_documents.parsing.pdf.paragraphs import Paragraph
from citewell_documents.parsing.picture_words import description, is_caption

_FIGURE = "Figure"
_MOST_ELEMENTS, _MOST_OBJECTS, _MOST_PICTURES = 20_000, 5_000, 200  # of a page
_LONGEST = 4_000
_FEWEST_PATHS = 3  # a drawing has more paths than a rule above the footnotes
_PICTURES = (pdfium_c.FPDF_PAGEOBJ_IMAGE, pdfium_c.FPDF_PAGEOBJ_SHADING, pdfium_c.FPDF_PAGEOBJ_FORM)


class Picture(NamedTuple):
    """The alternative text of a picture, or a text that people added to the page, and its box on the page, in the
    page's own points; `across` and `height` are the position of its lower edge, in the same form as those of lines.
    """

    text: str
    box: Box | None = None
    across: Extent = (0, 0)
    height: float = 0
    is_note: bool = False

    def is_above(self, line: Line) -> bool:
        return (
            self.box is not None and line.y < self.height and line.left < self.across[1] and line.right > self.across[0]
        )


class Drawn(NamedTuple):
    """The described pictures of a page; `captions`: the page has pictures that may have captions."""

    pictures: tuple[Picture, ...] = ()
    captions: bool = False


NOTHING = Drawn()


def drawn_on(page: pdfium.PdfPage, lines: Sequence[Line], notes: Iterable[Note] = ()) -> Drawn:
    """The pictures of a page and the notes on it. Drawings are only looked for if a line may be a caption; a list of
    figures has no drawings.
    """
    has_caption = any(_is_caption(line.text) for line in lines)
    added = (_at(page, text, box)._replace(is_note=True) for text, box in notes)
    return Drawn((*_described(page), *added), has_caption and _draws(page))


def with_pictures(paragraphs: Iterable[Paragraph], drawn: Drawn) -> Iterator[Paragraph]:
    """The paragraphs, with the alternative texts in the places of the pictures, and with captions marked as such."""
    waiting = list(drawn.pictures)
    for paragraph in paragraphs:
        for picture in [picture for picture in waiting if picture.is_above(paragraph.lines[0])]:
            waiting.remove(picture)
            yield _paragraph(picture)
        yield replace(paragraph, figures=tuple(_captions(paragraph.text))) if drawn.captions else paragraph
    yield from map(_paragraph, waiting)


def _paragraph(picture: Picture) -> Paragraph:
    words = ((0, len(picture.text), picture.box),) if picture.box else ()
    figures = () if picture.is_note else (Figure("alternative_text", 0, len(picture.text)),)
    return Paragraph((), picture.text, words, figures=figures)


def _captions(text: str) -> Iterator[Figure]:
    """Yield the captions among the lines of a text; a line close below a caption may be ordinary text."""
    start = 0
    for line in text.split("\n"):
        if _is_caption(line):
            yield Figure("caption", start, start + len(line))
        start += len(line) + 1


def _is_caption(line: str) -> bool:
    """True for a caption, and for several captions of pictures beside each other."""
    return all(map(is_caption, line.split("\t")))


def _draws(page: pdfium.PdfPage) -> bool:
    paths = 0
    for _, kind in _objects(page):
        paths += kind == pdfium_c.FPDF_PAGEOBJ_PATH
        if kind in _PICTURES or paths >= _FEWEST_PATHS:
            return True
    return False


def _objects(page: pdfium.PdfPage) -> Iterator[tuple[pdfium_c.FPDF_PAGEOBJECT, int]]:
    for index in range(min(pdfium_c.FPDFPage_CountObjects(page), _MOST_OBJECTS)):
        item = pdfium_c.FPDFPage_GetObject(page, index)
        yield item, pdfium_c.FPDFPageObj_GetType(item)


def _described(page: pdfium.PdfPage) -> Iterator[Picture]:
    tree = pdfium_c.FPDF_StructTree_GetForPage(page)
    if not tree:
        return
    try:
        figures = list(_figures(tree))
    finally:
        pdfium_c.FPDF_StructTree_Close(tree)
    places = _places(page, {mark for _, marks in figures for mark in marks}) if figures else {}
    for text, marks in figures:
        if drawn := [places[mark] for mark in marks if mark in places]:
            yield _at(page, text, enclosing(drawn))
        else:
            yield Picture(text)


def _at(page: pdfium.PdfPage, text: str, box: Box) -> Picture:
    # The page is turned so that its text is upright.
    quarter, edges = page.get_rotation() // 90 % 4, page.get_bbox()
    return Picture(text, box, sides(box, quarter), _up(box, quarter) - _up(edges, quarter))


def _up(box: Box, quarter: int) -> float:
    return sides(box, (quarter + 1) % 4)[0]


def _figures(tree: pdfium_c.FPDF_STRUCTTREE) -> Iterator[tuple[str, list[int]]]:
    """The alternative texts of the page's figures in their order, and the ids of their marked content."""
    roots = range(max(0, pdfium_c.FPDF_StructTree_CountChildren(tree)))
    waiting = [pdfium_c.FPDF_StructTree_GetChildAtIndex(tree, index) for index in reversed(roots)]
    seen = count = 0
    while waiting and seen < _MOST_ELEMENTS and count < _MOST_PICTURES:
        element, seen = waiting.pop(), seen + 1
        if not element:
            continue
        text = read_string(partial(pdfium_c.FPDF_StructElement_GetAltText, element))
        is_figure = text and read_string(partial(pdfium_c.FPDF_StructElement_GetType, element)) == _FIGURE
        if is_figure and (text := description(text[:_LONGEST])):
            count += 1
            marks = range(min(pdfium_c.FPDF_StructElement_GetMarkedContentIdCount(element), _MOST_OBJECTS))
            yield text, [pdfium_c.FPDF_StructElement_GetMarkedContentIdAtIndex(element, index) for index in marks]
        children = range(min(max(0, pdfium_c.FPDF_StructElement_CountChildren(element)), _MOST_ELEMENTS))
        waiting += (pdfium_c.FPDF_StructElement_GetChildAtIndex(element, index) for index in reversed(children))


def _places(page: pdfium.PdfPage, marks: Collection[int]) -> dict[int, Box]:
    places: dict[int, Box] = {}
    for item, _ in _objects(page):
        if (mark := pdfium_c.FPDFPageObj_GetMarkedContentID(item)) in marks and (box := _bounds(item)):
            places[mark] = enclosing((box, places.get(mark, box)))
    return places


def _bounds(item: pdfium_c.FPDF_PAGEOBJECT) -> Box | None:
    edges = tuple(ctypes.c_float() for _ in range(4))
    if not pdfium_c.FPDFPageObj_GetBounds(item, *edges):
        return None
    left, bottom, right, top = (edge.value for edge in edges)
    return (left, bottom, right, top) if all(map(isfinite, (left, bottom, right, top))) else None
