"""PDF: PDFium finds the characters, `pdf_layout` makes paragraphs and sections of them."""

from contextlib import closing
from dataclasses import replace
from threading import Lock

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from clients.parsing.limits import ParseLimits
from clients.parsing.pdf.frames import Frame
from clients.parsing.pdf.layout import lay_out, outline_key
from clients.parsing.pdf.lines import Line
from clients.parsing.pdf.metadata import metadata_of
from clients.parsing.pdf.pages import read_pages
from clients.parsing.pdf.running_headers import without_repeats
from domain.documents.documents import ParsedDocument
from domain.errors import DocumentEmpty, DocumentEncrypted, DocumentUnreadable

# PDFium has process-wide state: no two calls at the same time, not even on different documents.
PDFIUM = Lock()
_ENCRYPTED = (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY)


def parse_pdf(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a PDF: a page per Page (from 1), paragraphs separated by a blank line, headings as Sections.

    Lines come in drawing order, except where columns, headers and footers show another one. Wrapped lines of a
    paragraph are joined, cells of a table row are separated by tabs, rows and list items keep their lines. A running
    header or footer stays only at its first occurrence, bare page numbers nowhere. `found` holds the file's own
    metadata; attachments are not read. `boxes` says where each word stands on its page.

    Raises DocumentEncrypted, DocumentUnreadable, DocumentTooLarge, or DocumentEmpty for a scan without a text layer.
    """
    with PDFIUM, closing(opened_pdf(data, filename)) as pdf:
        pages: list[list[Line]] = []
        frames: list[Frame | None] = []
        for lines, frame in read_pages(pdf, filename, limits):
            pages.append(lines)
            frames.append(frame)
        document = lay_out(*without_repeats(pages), _outline(pdf), frames, limits.max_words)
        found = metadata_of(pdf, document.text)
    if not document.text.strip():
        raise DocumentEmpty(f"{filename} contains no text; a scanned PDF needs text recognition (OCR) first")
    return replace(document, found=found)


def opened_pdf(data: bytes, filename: str) -> pdfium.PdfDocument:
    try:
        pdf = pdfium.PdfDocument(data)
        pdf.init_forms()
        return pdf
    except pdfium.PdfiumError as error:
        if error.err_code in _ENCRYPTED:
            raise DocumentEncrypted(f"{filename}: {DocumentEncrypted.__doc__}") from None
        raise DocumentUnreadable(f"{filename} is damaged: it cannot be opened as a PDF") from None


def _outline(pdf: pdfium.PdfDocument) -> frozenset[str]:
    return frozenset(outline_key(bookmark.get_title()) for bookmark in pdf.get_toc()) - {""}
