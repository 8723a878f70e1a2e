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

    Where words stand on pages is kept for `max_words` of them. `parse_isolated` also bounds memory and time: `base_s`,
    plus `s_per_mb` of the file, at most `max_s`; for pages that are recognised `ocr_page_s` each, at most `ocr_max_s`,
    comes to it.

    `recognise`: whether text in pictures is recognised; `later` only says on which pages. `ocr_data`: the languages,
    and the folders of their data. `recognised`: what is on pages that were recognised before, by their number
    (citewell_documents.parsing.recognition.rows). `encoding`: that of a text, where it is known; empty otherwise.
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
