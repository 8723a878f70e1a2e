"""Limits on the size of documents and of the pictures of their pages, and on the cost of reading them."""

from dataclasses import dataclass, field
from typing import Any, Literal

MIN_WIDTH, MAX_WIDTH = 200, 2400
"""The width of the picture of a page, in pixels."""
MAX_PIXELS = 12_000_000
"""A page may be many times as high as it is wide."""
MAX_PICTURE_BYTES = 16_000_000
MEDIA_TYPE = "image/webp"
_BYTES_PER_MARK = 128
_MARKS_ALLOWANCE = 65_536


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """The largest document that is read (A8): pages, code points of text, and bytes when unpacked.

    The places of words on pages are kept for at most `max_words` words. `parse_isolated` also bounds memory and time:
    `base_s` plus `s_per_mb` for the size of the file, at most `max_s`; and additionally `ocr_page_s` for each page that
    is recognised, at most `ocr_max_s`.

    `recognise`: whether text in pictures is recognised; with `later` the document only lists the pages. `ocr_data`: the
    languages, and the folders of their data. `recognised`: the rows of pages that were recognised before, by page
    number (citewell_documents.parsing.recognition.rows). `encoding`: the encoding of a text if it is known; empty
    otherwise.
    """

    max_pages: int
    max_chars: int
    max_unpacked_bytes: int = 500_000_000
    max_words: int = 2_000_000
    memory_mb: int = 1024
    base_s: float = 8.0
    s_per_mb: float = 2.0
    max_s: float = 240.0
    recognise: Literal["off", "later", "now"] = "off"
    ocr_data: dict[str, str] = field(default_factory=dict[str, str])
    recognised: dict[str, Any] = field(default_factory=dict[str, Any])
    ocr_page_s: float = 60.0
    ocr_max_s: float = 400.0
    encoding: str = ""

    @property
    def max_marks_bytes(self) -> int:
        """Limit of the list of pages, sections, tables and metadata, in bytes of JSON."""
        return _MARKS_ALLOWANCE + _BYTES_PER_MARK * self.max_pages + self.max_chars
