"""RTF: its text, by striprtf."""

from striprtf.striprtf import rtf_to_text

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEmpty, DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.text_builder import DocumentBuilder

_CELL = "|"  # striprtf's sign for the end of a cell


def parse_rich_text(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read an RTF document: paragraphs, and the rows of tables; it says nothing of headings that can be relied on.

    Raises DocumentUnreadable, DocumentEmpty or DocumentTooLarge.
    """
    if data.rstrip(b"\0\r\n \t")[-1:] != b"}":
        raise DocumentUnreadable(f"{filename} is damaged: its end is missing; save it again")
    try:
        # Bytes above ASCII stand for themselves until striprtf knows their encoding.
        text = rtf_to_text(data.decode("latin-1"), errors="replace")
    except (ValueError, TypeError, LookupError):
        raise DocumentUnreadable(
            f"{filename} is damaged: it cannot be read as RTF; save or download it again"
        ) from None
    if len(text) > limits.max_chars:
        raise DocumentTooLarge(f"{filename} has {len(text):,} characters; the limit is {limits.max_chars:,}")
    builder = DocumentBuilder(filename, limits)
    rows: list[list[str]] = []
    for line in text.split("\n"):
        if line.rstrip().endswith(_CELL) and line.count(_CELL) > 1:
            rows.append(line.rstrip().removesuffix(_CELL).split(_CELL))
            continue
        builder.table(rows, has_header=len(rows) > 1)
        rows = []
        builder.paragraph(line)
    builder.table(rows, has_header=len(rows) > 1)
    document = builder.build()
    if not document.text:
        raise DocumentEmpty(f"{filename} contains no text")
    return document
