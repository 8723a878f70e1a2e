"""Draws a page of a PDF as a picture."""

from contextlib import closing
from io import BytesIO

import pypdfium2 as pdfium

from citewell_documents.errors import DocumentUnreadable, PageNotFound
from citewell_documents.parsing.limits import MAX_PIXELS
from citewell_documents.parsing.pdf.frames import frame_of
from citewell_documents.parsing.pdf.pages import opened_page
from citewell_documents.parsing.pdf.reader import PDFIUM, opened_pdf

_QUALITY = 80
_FAST = 2  # on a scale from 0 to 6; slower settings save some percent
_MOST_SIDE = 16_000  # WebP allows no longer sides


def draw_page(data: bytes, filename: str, number: int, width: int) -> bytes:
    """Page `number` (from 1) as it is displayed, as WebP, `width` pixels wide unless it is very high.

    Raises PageNotFound, DocumentEncrypted, DocumentUnreadable.
    """
    with PDFIUM, closing(opened_pdf(data, filename)) as pdf:
        if not 1 <= number <= len(pdf):
            raise PageNotFound(f"{filename} has {len(pdf):,} pages; there is no page {number:,}.")
        try:
            with opened_page(pdf, number - 1) as page:
                return _drawn(page, width)
        except pdfium.PdfiumError:
            raise DocumentUnreadable(
                f"{filename} is damaged: page {number} cannot be drawn; save or download it again"
            ) from None


def _drawn(page: pdfium.PdfPage, width: int) -> bytes:
    frame = frame_of(page)
    if frame is None:
        raise DocumentUnreadable("the page has no size")
    scale = min(width / frame.width, (MAX_PIXELS / (frame.width * frame.height)) ** 0.5, _MOST_SIDE / frame.height)
    bitmap = page.render(scale=scale)
    picture = BytesIO()
    bitmap.to_pil().convert("RGB").save(picture, "WEBP", quality=_QUALITY, method=_FAST)
    return picture.getvalue()
