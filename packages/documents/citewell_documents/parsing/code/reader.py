"""Source code: the unchanged text, in sections whose titles state their lines."""

from collections.abc import Iterator
from pathlib import PurePath

from citewell_documents.blocks import Block
from citewell_documents.document import ParsedDocument, Section
from citewell_documents.formats import CODE
from citewell_documents.parsing.decoding import decoded
from citewell_documents.parsing.limits import ParseLimits

_USUAL_LINES, _MOST_LINES = 25, 50


def parse_code(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read source code; the metadata have its language.

    Raises DocumentUnreadable, DocumentEmpty or DocumentTooLarge.
    """
    text = decoded(data, filename, limits)
    metadata = {"programming_language": CODE[PurePath(filename).suffix.lower()]}
    blocks = (Block("lines", 0, len(text)),)
    return ParsedDocument(text, sections=tuple(_sections(text)), found=metadata, blocks=blocks)


def _sections(text: str) -> Iterator[Section]:
    """Divide the lines into sections. A section ends at an empty line if there is one near its end."""
    first, start, at = 1, 0, 0
    lines = text.split("\n")
    last = max(number for number, line in enumerate(lines, start=1) if line.strip())
    for number, line in enumerate(lines, start=1):
        at = min(at + len(line) + 1, len(text))
        count = number - first + 1
        full = count >= _MOST_LINES or (count >= _USUAL_LINES and not line.strip())
        if number == len(lines) or (full and number < last):
            yield Section(f"lines {first}–{min(number, last)}", (), start, at)
            first, start = number + 1, at
