"""PDF: PDFium finds the characters, and `layout` makes paragraphs and sections from them."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from threading import Lock

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from PIL import Image

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEmpty, DocumentEncrypted, DocumentUnreadable
from citewell_documents.parsing.hidden import HiddenWords, listed_pages
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.pdf.layout import lay_out, outline_key
from citewell_documents.parsing.pdf.metadata import is_shell, metadata_of
from citewell_documents.parsing.pdf.pages import opened_page, read_pages
from citewell_documents.parsing.pdf.running_headers import without_repeats
from citewell_documents.parsing.pdf.scans import picture_of
from citewell_documents.parsing.recognition.installed import HOW_TO_INSTALL
from citewell_documents.parsing.recognition.lines import evened
from citewell_documents.parsing.recognition.reader import PageReader, recognised_in
from citewell_documents.parsing.recognition.rows import RecognisedPage

# PDFium has process-wide state, so no two calls may run at the same time, not even on different documents.
PDFIUM = Lock()
_WITHOUT_TEXT = {
    "off": f"a PDF of pictures or unreadable characters needs text recognition (OCR): {HOW_TO_INSTALL}",
    "later": "its pages are empty",
    "now": "and none was recognised on its pages; save or scan it anew",
}
_ENCRYPTED = (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY)


def parse_pdf(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a PDF: a page per Page (from 1), paragraphs separated by a blank line, headings as Sections.

    Lines come in drawing order, unless columns, headers and footers show another order. Wrapped lines of a paragraph
    are joined, cells of a table row are separated by tabs, rows and list items keep their lines. A running header or
    footer stays only at its first occurrence, and bare page numbers are left out. `found` holds the file's own
    metadata; attachments are not read. `boxes` has the place of each word on its page. Alternative texts of a tagged
    PDF stand in the places of the pictures. Pages that are pictures, or have unreadable characters, are recognised, or
    listed in `scanned` to be recognised later; without recognition `found` names the pages that were not read. Words
    that a reader does not see (`sight`) are left out, and `found` states their number.

    Raises DocumentEncrypted, DocumentUnreadable, DocumentTooLarge, or DocumentEmpty for a scan without a text layer.
    """
    with PDFIUM, closing(opened_pdf(data, filename)) as pdf:
        if is_shell(pdf):
            raise DocumentUnreadable(
                f"{filename} is a form (XFA) whose pages only Adobe Reader builds; "
                "print it there to a PDF, and ingest that"
            )
        document = _document(pdf, filename, limits)
        metadata = {**metadata_of(pdf, document.text), **document.found}
    if not document.text.strip() and not (document.scanned and limits.recognise == "later"):
        files = metadata.get("unread_attachments")
        why = f"it holds other files ({files}): save and ingest those" if files else _WITHOUT_TEXT[limits.recognise]
        raise DocumentEmpty(f"{filename} contains no text; {why}")
    if document.scanned and limits.recognise == "off":
        metadata["unread_pages"] = listed_pages(document.scanned)
    return replace(document, found={**metadata, **document.found})


def _document(pdf: pdfium.PdfDocument, filename: str, limits: ParseLimits) -> ParsedDocument:
    reader = PageReader(limits)
    recognise = reader.lines if limits.recognise == "now" else None
    pages = list(read_pages(pdf, filename, limits, recognise))
    lines = [page.lines for page in pages]
    kept, running = without_repeats(evened(lines) if recognise else lines)
    frames, drawn = [page.frame for page in pages], [page.drawn for page in pages]
    outline = frozenset(outline_key(bookmark.get_title()) for bookmark in pdf.get_toc()) - {""}
    document = lay_out(kept, running, outline, frames, limits.max_words, drawn)
    hidden = HiddenWords()
    for number, page in enumerate(pages, start=1):
        for line in page.hidden:
            hidden.add(line.text, line.hidden, number)
    scanned = tuple(number for number, page in enumerate(pages, start=1) if page.is_scan)
    return replace(document, scanned=scanned, found={**reader.findings, **hidden.found()})


def recognise_pdf(
    data: bytes, filename: str, numbers: Sequence[int], limits: ParseLimits, seconds: float
) -> dict[int, RecognisedPage]:
    """The recognised text of pages that are pictures: the first of `numbers`, and more of them until `seconds` have
    passed.

    Raises DocumentTooSlow, DocumentUnreadable, DocumentEncrypted.
    """
    with PDFIUM, closing(opened_pdf(data, filename)) as pdf:
        return recognised_in(((number, partial(_drawn, pdf, number)) for number in numbers), limits, seconds)


def _drawn(pdf: pdfium.PdfDocument, number: int) -> tuple[Image.Image, int]:
    with opened_page(pdf, number - 1) as page:
        return picture_of(page)


def opened_pdf(data: bytes, filename: str) -> pdfium.PdfDocument:
    try:
        pdf = pdfium.PdfDocument(data)
        pdf.init_forms()
        return pdf
    except pdfium.PdfiumError as error:
        if error.err_code in _ENCRYPTED:
            raise DocumentEncrypted(f"{filename}: {DocumentEncrypted.__doc__}") from None
        raise DocumentUnreadable(
            f"{filename} is damaged: it cannot be opened as a PDF; save or download it again"
        ) from None
