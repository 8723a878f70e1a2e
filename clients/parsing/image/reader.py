"""Pictures as documents: a page for each, with the text that is recognised in it."""

from clients.parsing.image.opening import pictures_in
from clients.parsing.limits import ParseLimits
from clients.parsing.pdf.frames import Frame
from clients.parsing.pdf.layout import lay_out
from clients.parsing.pdf.lines import Line
from clients.parsing.pdf.running_headers import without_repeats
from clients.parsing.recognition.installed import HOW_TO_INSTALL
from domain.documents.documents import ParsedDocument
from domain.errors import DocumentEmpty


def parse_image(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a picture, or each page of a TIFF; paragraphs, tables and sections are found as in a PDF.

    Raises DocumentEmpty, DocumentUnreadable or DocumentTooLarge.
    """
    if limits.recognise == "off":
        raise DocumentEmpty(f"{filename} is a picture, which needs text recognition (OCR): {HOW_TO_INSTALL}")
    if limits.recognise == "later":
        return ParsedDocument("", scanned=tuple(number for number, _ in pictures_in(data, filename, limits)))
    pages, frames = _recognised(data, filename, limits)
    document = lay_out(*without_repeats(pages), frozenset(), frames, limits.max_words)
    if not document.text.strip():
        raise DocumentEmpty(f"{filename} is a picture in which no text was recognised")
    return document


def _recognised(data: bytes, filename: str, limits: ParseLimits) -> tuple[list[list[Line]], list[Frame]]:
    from clients.parsing.recognition.engine import Recogniser  # noqa: PLC0415 - its library is an extra
    from clients.parsing.recognition.lines import evened, recognised_page  # noqa: PLC0415 - as above

    recogniser = Recogniser(limits.ocr_data, limits.ocr_page_s)
    pages: list[list[Line]] = []
    frames: list[Frame] = []
    for _, (picture, dpi) in pictures_in(data, filename, limits):
        lines, frame = recognised_page(recogniser, picture, dpi)
        pages.append(lines)
        frames.append(frame)
    return evened(pages), frames
