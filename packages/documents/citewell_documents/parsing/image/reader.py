"""Pictures as documents: a page for each, with the text that is recognised in it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEmpty
from citewell_documents.parsing.image.opening import page_numbers, readable_page
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.pdf.layout import lay_out
from citewell_documents.parsing.pdf.pictures import Drawn
from citewell_documents.parsing.pdf.running_headers import without_repeats
from citewell_documents.parsing.recognition.installed import HOW_TO_INSTALL
from citewell_documents.parsing.recognition.lines import evened
from citewell_documents.parsing.recognition.reader import PageReader, recognised_in
from citewell_documents.parsing.recognition.rows import RecognisedPage


def parse_image(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a picture, or each page of a TIFF; paragraphs, tables and sections are found as in a PDF.

    Raises DocumentEmpty, DocumentUnreadable or DocumentTooLarge.
    """
    if limits.recognise == "off":
        raise DocumentEmpty(f"{filename} is a picture, which needs text recognition (OCR): {HOW_TO_INSTALL}")
    if limits.recognise == "later":
        return ParsedDocument("", scanned=tuple(page_numbers(data, filename, limits)))
    reader = PageReader(limits)
    numbers = page_numbers(data, filename, limits)
    read = [reader.lines(number, partial(readable_page, data, filename, number)) for number in numbers]
    pages, frames = evened([lines for lines, _ in read]), [frame for _, frame in read]
    drawn = [Drawn(captions=True)] * len(pages)
    document = lay_out(*without_repeats(pages), frozenset(), frames, limits.max_words, drawn)
    if not document.text.strip():
        why = f"; {reader.findings['reading_notes']}" if reader.findings else ""
        raise DocumentEmpty(f"{filename} is a picture in which no text was recognised{why}")
    return replace(document, found={**document.found, **reader.findings})


def recognise_image(
    data: bytes, filename: str, numbers: Sequence[int], limits: ParseLimits, seconds: float
) -> dict[int, RecognisedPage]:
    """The recognised pages of a picture: the first of `numbers`, and more of them until `seconds` have passed.

    Raises DocumentTooSlow, DocumentUnreadable, DocumentTooLarge.
    """
    return recognised_in(
        ((number, partial(readable_page, data, filename, number)) for number in numbers), limits, seconds
    )
