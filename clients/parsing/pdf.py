"""PDF: PDFium finds the characters, `pdf_layout` makes paragraphs and sections of them."""

from contextlib import closing
from dataclasses import replace
from threading import Lock

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from clients.parsing.limits import ParseLimits
from clients.parsing.pdf_layout import lay_out, outline_key
from clients.parsing.pdf_metadata import metadata_of
from clients.parsing.pdf_pages import read_pages
from clients.parsing.pdf_running import without_repeats
from domain.documents import ParsedDocument
from domain.errors import DocumentEmpty, DocumentEncrypted, DocumentUnreadable

# PDFium has process-wide state: no two calls at the same time, not even on different documents.
_PDFIUM = Lock()
_ENCRYPTED = (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY)


def parse_pdf(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a PDF: a page per Page (from 1), paragraphs with a blank line between, headings as Sections.

    Lines come in the order of drawing, except where columns, heads and feet show another one. Wrapped lines of a
    paragraph are joined to one line, cells of a table row are separated by a tab, rows and list items keep their lines.
    A running header or footer stays only where it stands first, bare page numbers nowhere. `found` is what the file
    says of itself; attachments are not read.

    Raises DocumentEncrypted, DocumentUnreadable, DocumentTooLarge, or DocumentEmpty for a scan without a text layer.
    """
    with _PDFIUM, closing(_opened(data, filename)) as pdf:
        pages = list(read_pages(pdf, filename, limits))
        document = lay_out(*without_repeats(pages), _outline(pdf))
        found = metadata_of(pdf, document.text)
    if not document.text.strip():
        raise DocumentEmpty(f"{filename} contains no text; a scanned PDF needs text recognition (OCR) first")
    return replace(document, found=found)


def _opened(data: bytes, filename: str) -> pdfium.PdfDocument:
    try:
        pdf = pdfium.PdfDocument(data)
        pdf.init_forms()
        return pdf
    except pdfium.PdfiumError as error:
        if error.err_code in _ENCRYPTED:
            raise DocumentEncrypted(f"{filename}: {DocumentEncrypted.__doc__}") from None
        raise DocumentUnreadable(f"{filename} is damaged: it cannot be opened as a PDF") from None


def _outline(pdf: pdfium.PdfDocument) -> frozenset[str]:
    """The titles of the table of contents that viewers show beside the pages."""
    return frozenset(outline_key(bookmark.get_title()) for bookmark in pdf.get_toc()) - {""}
