"""Reads a file as a document, in a child process that has access to nothing but the file."""

from pathlib import Path

from citewell_documents.chunking import split_document
from citewell_documents.document import ParsedDocument, TextChunk
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.sandbox.isolated import parse_isolated

_MOST_PAGES, _MOST_CHARS = 5_000, 20_000_000
_CHUNK_TOKENS, _OVERLAP_TOKENS = 220, 30


def read(file: str | Path | bytes, filename: str | None = None, limits: ParseLimits | None = None) -> ParsedDocument:
    """Read a file of the type that its name states and its content confirms.

    `file` is a path, or the content, which needs a `filename`. The child process has bounded memory and time, cannot
    write files, and has no secrets in its environment (A8). Raises OSError, DocumentTypeUnknown, DocumentEmpty,
    DocumentEncrypted, DocumentUnreadable, DocumentTooLarge or DocumentTooSlow.
    """
    if isinstance(file, bytes):
        content, name = file, filename
        if name is None:
            raise TypeError("content without a path needs a filename, whose suffix says of which type it is")
    else:
        content, name = Path(file).read_bytes(), filename or Path(file).name
    return parse_isolated(content, name, limits or ParseLimits(_MOST_PAGES, _MOST_CHARS))


def chunks(document: ParsedDocument, tokens: int = _CHUNK_TOKENS, overlap: int = _OVERLAP_TOKENS) -> list[TextChunk]:
    """Split a document into pieces of about `tokens` that are small enough to search; see `split_document`."""
    return split_document(document, chunk_tokens=tokens, overlap_tokens=overlap)
