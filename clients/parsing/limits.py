"""How much of a document is read, and at what cost."""

from dataclasses import dataclass

_BYTES_PER_MARK = 128
_MARKS_ALLOWANCE = 65_536


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """A8: the largest document that is read, in pages, in code points of its text, and in bytes when unpacked.

    Where a child reads it (`parse_isolated`), memory and time are bounded too: `base_s`, and `s_per_mb` of the file, at
    most `max_s`.
    """

    max_pages: int
    max_chars: int
    max_unpacked_bytes: int = 500_000_000
    memory_mb: int = 1024
    base_s: float = 8.0
    s_per_mb: float = 2.0
    max_s: float = 240.0

    @property
    def max_marks_bytes(self) -> int:
        """How long the list of pages, sections, tables and findings may be, in bytes of JSON."""
        return _MARKS_ALLOWANCE + _BYTES_PER_MARK * self.max_pages + self.max_chars
