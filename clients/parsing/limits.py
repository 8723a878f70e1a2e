"""How much of a document is read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """A8: the largest document that is read, in pages (PDF) and in code points of its text."""

    max_pages: int
    max_chars: int
