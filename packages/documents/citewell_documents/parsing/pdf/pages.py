"""Reads the pages of a PDF one by one, with their text upright and in reading order."""

from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from PIL import Image

from citewell_documents.errors import DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.pdf.columns import in_reading_order
from citewell_documents.parsing.pdf.frames import Frame, frame_of
from citewell_documents.parsing.pdf.glyphs import Box, Glyphs
from citewell_documents.parsing.pdf.lines import Line, read_lines
from citewell_documents.parsing.pdf.pictures import NOTHING, Drawn, drawn_on
from citewell_documents.parsing.pdf.ruled_rows import in_ruled_rows
from citewell_documents.parsing.pdf.rulings import ruled_tables
from citewell_documents.parsing.pdf.scans import is_picture, is_readable, picture_of

_MORE = 2  # times the text of a page: then it is a stamp on a scan
_SAMPLE = 40  # characters that show the rotation of a page's text


@dataclass(frozen=True, slots=True)
class ReadPage:
    """The lines of a page, its frame and what is drawn on it; `is_scan`: a picture that was not read."""

    lines: list[Line]
    frame: Frame | None
    is_scan: bool = False
    drawn: Drawn = NOTHING


Recognise = Callable[[int, Callable[[], tuple[Image.Image, int]]], tuple[list[Line], Frame]]
"""Reads the page of a number, of which it may ask for a picture and its dots per inch."""


def read_pages(
    pdf: pdfium.PdfDocument, filename: str, limits: ParseLimits, recognise: Recognise | None = None
) -> Iterator[ReadPage]:
    """Yield the pages in their order; those that are pictures are read with `recognise`.

    Raises DocumentTooLarge, before the first page is read if there are too many pages, or DocumentUnreadable.
    """
    if len(pdf) > limits.max_pages:
        raise DocumentTooLarge(f"{filename} has {len(pdf):,} pages; the limit is {limits.max_pages:,}")
    budget = limits.max_chars
    for index in range(len(pdf)):
        try:
            with opened_page(pdf, index) as page:
                read, count = _read_page(page, budget, recognise and partial(recognise, index + 1))
                read = replace(read, drawn=drawn_on(page, read.lines))
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
    page = pdf[index]
    if pdf.formenv and page.flatten() == pdfium_c.FLATTEN_SUCCESS:
        page.close()
        page = pdf[index]
    with closing(page):
        yield page


def _read_page(
    page: pdfium.PdfPage,
    budget: int,
    recognise: Callable[[Callable[[], tuple[Image.Image, int]]], tuple[list[Line], Frame]] | None,
) -> tuple[ReadPage, int]:
    frame, turned = frame_of(page), page.get_rotation()
    lines, count = _read(page, budget)
    if frame is None or count > budget or not is_picture(page, lines):
        return ReadPage(lines, frame), count
    if recognise is None:
        return ReadPage(lines, frame, is_scan=True), count
    page.set_rotation(turned)
    recognised, shown = recognise(partial(picture_of, page))
    if not is_readable("\n".join(line.text for line in recognised)):  # a damaged font is drawn wrong, too
        recognised = []
    seen, stated = (sum(len(line.text) for line in either) for either in (recognised, lines))
    stated = stated or count // 8  # much less than its unreadable characters are no more than noise
    return (ReadPage(recognised, shown), seen) if seen > _MORE * stated else (ReadPage(lines, frame), count)


def _read(page: pdfium.PdfPage, budget: int) -> tuple[list[Line], int]:
    """The lines of the page, none if their characters exceed `budget`, and how many characters there are."""
    box = page.get_bbox()
    with closing(page.get_textpage()) as textpage:
        glyphs, count = Glyphs(textpage, box), textpage.count_chars()
        quarters = Counter(glyphs.quarter(index) for index in range(0, count, count // _SAMPLE + 1))
        turned = 90 * quarters.most_common(1)[0][0] if quarters else 0
        if turned == page.get_rotation():
            return _lines(textpage, box, budget)
    # PDFium orders lines by how the page is displayed, so its text must be upright.
    page.set_rotation(turned)
    with closing(page.get_textpage()) as textpage:
        return _lines(textpage, box, budget)


def _lines(textpage: pdfium.PdfTextPage, box: Box, budget: int) -> tuple[list[Line], int]:
    count = textpage.count_chars()
    # A page of unreadable characters is one without text, so it is read as a picture.
    wanted = count <= budget and is_readable(textpage.get_text_range())
    lines = read_lines(textpage, count, Glyphs(textpage, box)) if wanted else []
    # Invisible text that is most of the page is the text recognised in a scan; other invisible text is left out.
    visible = [line for line in lines if not line.invisible]
    is_most = 2 * sum(len(line.text) for line in visible) >= sum(len(line.text) for line in lines)
    kept = in_ruled_rows(visible if is_most else lines, ruled_tables(textpage.page))
    return in_reading_order(kept), count
