"""Plain text and Markdown, whose stored text is the decoded file itself."""

from clients.parsing.decoding import decode
from clients.parsing.limits import ParseLimits
from clients.parsing.text.markdown import markdown_document
from clients.parsing.text.plain_sections import plain_document
from domain.documents.documents import ParsedDocument
from domain.errors import DocumentEmpty, DocumentTooLarge


def parse_plain(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read plain text. Raises DocumentUnreadable, DocumentEmpty or DocumentTooLarge."""
    return plain_document(_read(data, filename, limits))


def parse_markdown(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read Markdown. Raises DocumentUnreadable, DocumentEmpty or DocumentTooLarge."""
    return markdown_document(_read(data, filename, limits))


def _read(data: bytes, filename: str, limits: ParseLimits) -> str:
    text = decode(data, filename)
    if not text.strip():
        raise DocumentEmpty(f"{filename} contains no text")
    if len(text) > limits.max_chars:
        raise DocumentTooLarge(f"{filename} has {len(text):,} characters; the limit is {limits.max_chars:,}")
    return text
