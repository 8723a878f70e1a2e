"""Reads the pages of a PDF one by one, with their text upright and in reading order."""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from PIL import Image

from citewell_documents.errors import DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing.hidden import Reason
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.pdf.annotations import Annotations, Field, annotations_on
from citewell_documents.parsing.pdf.cells.ruled_rows import in_ruled_rows
from citewell_documents.parsing.pdf.cells.rulings import ruled_tables
from citewell_documents.parsing.pdf.columns import in_reading_order
from citewell_documents.parsing.pdf.frames import Frame, frame_of
from citewell_documents.parsing.pdf.glyphs import Box, Glyphs
from citewell_documents.parsing.pdf.lines import Line, read_lines
from citewell_documents.parsing.pdf.pictures import NOTHING, Drawn, drawn_on
from citewell_documents.parsing.pdf.scans import is_picture, is_readable, picture_of
from citewell_documents.parsing.pdf.visible.sight import Sight

_MORE = 2  # with more than this many times as much recognised text, a page's own text is a stamp on a scan
_SAMPLE = 40  # characters that show the rotation of a page's text


@dataclass(frozen=True, slots=True)
class ReadPage:
    """The lines of a page, its frame and its pictures; `is_scan`: the page is a picture that was not read. `hidden` are
    the lines that a reader does not see.
    """

    lines: list[Line]
    frame: Frame | None
    is_scan: bool = False
    drawn: Drawn = NOTHING
    hidden: tuple[Line, ...] = ()


Recognise = Callable[[int, Callable[[], tuple[Image.Image, int]]], tuple[list[Line], Frame]]
"""Reads the page with a number by text recognition; it may ask for a picture of the page and its dots per inch."""


def read_pages(
    pdf: pdfium.PdfDocument, filename: str, limits: ParseLimits, recognise: Recognise | None = None
) -> Iterator[ReadPage]:
    """Yield the pages in their order; pages that are pictures are read with `recognise`.

    Raises DocumentTooLarge, before the first page is read if there are too many pages, or DocumentUnreadable.
    """
    if len(pdf) > limits.max_pages:
        raise DocumentTooLarge(f"{filename} has {len(pdf):,} pages; the limit is {limits.max_pages:,}")
    budget = limits.max_chars
    for index in range(len(pdf)):
        try:
            with _annotated_page(pdf, index) as (page, annotations):
                read, count = _read_page(page, budget, annotations.fields, recognise and partial(recognise, index + 1))
                read = replace(read, drawn=drawn_on(page, read.lines, annotations.notes))
                count += sum(len(picture.text) for picture in read.drawn.pictures)
        except pdfium.PdfiumError:
            raise DocumentUnreadable(
                f"{filename} is damaged: page {index + 1} cannot be read; save or download it again"
            ) from None
        if count > budget:
            raise DocumentTooLarge(f"{filename} has more text than the limit (page {index + 1})")
        budget -= count
        yield read


@contextmanager
def opened_page(pdf: pdfium.PdfDocument, index: int) -> Generator[pdfium.PdfPage]:
    with _annotated_page(pdf, index) as (page, _):
        yield page


@contextmanager
def _annotated_page(pdf: pdfium.PdfDocument, index: int) -> Generator[tuple[pdfium.PdfPage, Annotations]]:
    """The page, with the filled-in values and the text written on it drawn into it, and its annotations."""
    page = pdf[index]
    annotations = annotations_on(pdf, page)
    # pypdfium2's own `flatten` refuses a file without a form, but the texts on its pages have to be drawn as well.
    if pdf.formenv or annotations.is_drawn:
        result = pdfium_c.FPDFPage_Flatten(page, pdfium_c.FLAT_NORMALDISPLAY)
        if result == pdfium_c.FLATTEN_FAIL:
            raise pdfium.PdfiumError("FPDFPage_Flatten")
        if result == pdfium_c.FLATTEN_SUCCESS:
            page.close()
            page = pdf[index]
    with closing(page):
        yield page, annotations


def _read_page(
    page: pdfium.PdfPage,
    budget: int,
    fields: Sequence[Field],
    recognise: Callable[[Callable[[], tuple[Image.Image, int]]], tuple[list[Line], Frame]] | None,
) -> tuple[ReadPage, int]:
    frame, turned = frame_of(page), page.get_rotation()
    text = _read(page, budget, fields)
    lines, count, read = text.lines, text.characters, ReadPage(text.lines, frame, hidden=text.hidden)
    if frame is None or count > budget or text.is_blank or not is_picture(page, lines):
        return read, count
    if recognise is None:
        return replace(read, is_scan=True), count
    page.set_rotation(turned)
    recognised, shown = recognise(partial(picture_of, page))
    if not is_readable("\n".join(line.text for line in recognised)):  # a damaged font may also be drawn wrong
        recognised = []
    seen, stated = (sum(len(line.text) for line in either) for either in (recognised, lines))
    # If far fewer characters are recognised than the page has unreadable ones, they are only noise.
    stated = stated or (count - sum(len(line.text) for line in text.hidden)) // 8
    return (replace(read, lines=recognised, frame=shown), seen) if seen > _MORE * stated else (read, count)


class _Text(NamedTuple):
    """The lines of a page, none if it has too many characters; the number of its characters; the lines that are not
    seen; and whether the page shows nothing at all.
    """

    lines: list[Line]
    characters: int
    hidden: tuple[Line, ...] = ()
    is_blank: bool = False


def _read(page: pdfium.PdfPage, budget: int, fields: Sequence[Field]) -> _Text:
    box = page.get_bbox()
    with closing(page.get_textpage()) as textpage:
        glyphs, count = Glyphs(textpage, box), textpage.count_chars()
        quarters = Counter(glyphs.quarter(index) for index in range(0, count, count // _SAMPLE + 1))
        turned = 90 * quarters.most_common(1)[0][0] if quarters else 0
        if turned == page.get_rotation():
            return _lines(page, textpage, budget, fields)
    # PDFium orders lines as on the displayed page, so the text must be upright there.
    page.set_rotation(turned)
    with closing(page.get_textpage()) as textpage:
        return _lines(page, textpage, budget, fields)


def _lines(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, budget: int, fields: Sequence[Field]) -> _Text:
    count, frame = textpage.count_chars(), frame_of(page)
    # A page of unreadable characters counts as one without text, so it is read as a picture.
    if not 0 < count <= budget or not is_readable(textpage.get_text_range()):
        return _Text([], count)
    glyphs = Glyphs(textpage, page.get_bbox())
    if frame is None:
        return _Text(in_reading_order(read_lines(textpage, count, glyphs, _all_seen, fields)), count)
    sight = Sight(page, textpage, glyphs, frame)
    visible: list[Line] = []
    hidden: list[Line] = []
    for line in read_lines(textpage, count, glyphs, sight.unseen, fields):
        (hidden if line.hidden else visible).append(line)
    return _Text(in_reading_order(in_ruled_rows(visible, ruled_tables(page))), count, tuple(hidden), sight.is_blank)


def _all_seen(_places: Mapping[int, Box], _codes: Mapping[int, int], _quarter: int) -> dict[int, Reason]:
    return {}
