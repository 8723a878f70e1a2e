"""Recognises pages of a document, or uses the rows that were recognised on them before."""

import time
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from PIL import Image

from citewell_documents.errors import DocumentTooSlow
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.pdf.frames import Frame
from citewell_documents.parsing.pdf.lines import Line
from citewell_documents.parsing.recognition.lines import laid
from citewell_documents.parsing.recognition.rows import RECOGNISED_PAGE, RecognisedPage

if TYPE_CHECKING:
    from citewell_documents.parsing.recognition.engine import Recogniser

_HOW_TO_READ = "install Tesseract's data for them, add the language to ingestion.ocr_languages, and ingest it again"
Picture = tuple[Image.Image, int]
"""A grey picture of a page, and its dots per inch."""
Draw = Callable[[], Picture]


class PageReader:
    """Reads pictures of pages; pages in `limits.recognised` are not even drawn."""

    def __init__(self, limits: ParseLimits) -> None:
        self._limits = limits
        self._unknown: dict[int, str] = {}

    @property
    def findings(self) -> dict[str, str]:
        """The entries of the metadata about pages whose letters no installed language has."""
        if not self._unknown:
            return {}
        scripts = " and ".join(sorted(set(self._unknown.values())))
        return {
            "unread_pages": ", ".join(map(str, self._unknown)),
            "reading_notes": f"letters that no installed language has ({scripts}); {_HOW_TO_READ}",
        }

    def lines(self, number: int, draw: Draw) -> tuple[list[Line], Frame]:
        """The lines and the frame of page `number`. Raises DocumentTooSlow."""
        known = self._limits.recognised.get(str(number))
        page = RECOGNISED_PAGE.validate_python(known) if known else self.recognise(number, draw)
        if page.unknown_script:
            self._unknown[number] = page.unknown_script
        return laid(page)

    def recognise(self, number: int, draw: Draw) -> RecognisedPage:
        """Recognise page `number`. Raises DocumentTooSlow."""
        from citewell_documents.parsing.recognition.engine import TooSlow  # noqa: PLC0415 - its library is an extra

        picture, dpi = draw()
        try:
            turns, rows, unknown = self._engine.read(picture, dpi)
        except TooSlow:
            raise DocumentTooSlow(
                f"The text of page {number:,} could not be recognised in time; scan it with less noise, or allow more "
                "time (ingestion.ocr_page_s)."
            ) from None
        width, height = picture.size if turns % 2 == 0 else reversed(picture.size)
        return RecognisedPage(width, height, dpi, tuple(rows), turns, unknown)

    @cached_property
    def _engine(self) -> "Recogniser":
        from citewell_documents.parsing.recognition.engine import Recogniser  # noqa: PLC0415 - its library is an extra

        return Recogniser(self._limits.ocr_data, self._limits.ocr_page_s)


def recognised_in(pages: Iterable[tuple[int, Draw]], limits: ParseLimits, seconds: float) -> dict[int, RecognisedPage]:
    """Recognise the first of these pages, and more of them until `seconds` have passed. Raises DocumentTooSlow."""
    reader, until = PageReader(limits), time.monotonic() + seconds
    recognised: dict[int, RecognisedPage] = {}
    for number, draw in pages:
        recognised[number] = reader.recognise(number, draw)
        if time.monotonic() > until:
            break
    return recognised
