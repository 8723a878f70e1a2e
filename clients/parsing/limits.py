"""How much of a document is read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """A8: the largest document that is read, in pages, in code points of its text, and in bytes when unpacked."""

    max_pages: int
    max_chars: int
    max_unpacked_bytes: int = 500_000_000
