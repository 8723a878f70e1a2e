"""Documents as people have them, turned into one text with pages and sections (N3): .txt, .md and .pdf."""

from collections.abc import Callable
from pathlib import PurePath

from clients.parsing.decoding import decode
from clients.parsing.limits import ParseLimits
from clients.parsing.markdown import markdown_sections
from clients.parsing.pdf import parse_pdf
from clients.parsing.plain import plain_sections
from clients.parsing.signatures import kind_of
from domain.documents import ParsedDocument
from domain.errors import DocumentEmpty, DocumentTooLarge, DocumentTypeUnknown, DocumentUnreadable

__all__ = ["ParseLimits", "parse"]

_SECTIONS_OF_TEXT = {
    ".txt": plain_sections,
    ".text": plain_sections,
    ".md": markdown_sections,
    ".markdown": markdown_sections,
}
_READERS: dict[str, Callable[[bytes, str, ParseLimits], ParsedDocument]] = {
    ".pdf": parse_pdf,
}
_SUFFIXES = (*_SECTIONS_OF_TEXT, *_READERS)


def parse(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read one file of the type that its name says and its content confirms.

    The stored text is NFC with `\\n` newlines, without NUL, other control characters or lone surrogates; of Markdown
    and plain text it is otherwise the source itself. Only a PDF has pages. Sections partition the text from the first
    heading on: each reaches to the next heading of any level.

    Runs in the prefork ingestion worker and nowhere else: it is pure computation that holds the GIL or, inside PDFium,
    cannot be interrupted, so a hostile file costs one child process and never an API request. The limits bound pages
    and characters before they are read; bytes are bounded at upload, time by the worker's own limit.

    Raises DocumentTypeUnknown, DocumentEmpty, DocumentEncrypted, DocumentUnreadable or DocumentTooLarge (A8).
    """
    suffix = PurePath(filename).suffix.lower()
    if suffix not in _SUFFIXES:
        kind = f"{suffix} is" if suffix else "a name without an extension is"
        raise DocumentTypeUnknown(f"{filename}: {kind} not supported; use .txt, .md or .pdf")
    if not data.strip():
        raise DocumentEmpty(f"{filename} is empty")
    _check_kind(data, filename, suffix)
    if read := _READERS.get(suffix):
        return read(data, filename, limits)
    return _parse_text(data, filename, suffix, limits)


def _check_kind(data: bytes, filename: str, suffix: str) -> None:
    kind = kind_of(data)
    # PDF readers accept junk before the header, but not more than 1 kB.
    if suffix == ".pdf" and kind.suffix != ".pdf" and b"%PDF-" not in data[:1024]:
        raise DocumentUnreadable(f"{filename} is named .pdf but seems to be {kind.name}")
    if suffix != ".pdf" and not kind.is_text:
        advice = f"; rename it to {kind.suffix}" if kind.suffix else ""
        raise DocumentUnreadable(f"{filename} is named {suffix} but seems to be {kind.name}{advice}")


def _parse_text(data: bytes, filename: str, suffix: str, limits: ParseLimits) -> ParsedDocument:
    text = decode(data, filename)
    if not text.strip():
        raise DocumentEmpty(f"{filename} contains no text")
    if len(text) > limits.max_chars:
        raise DocumentTooLarge(f"{filename} has {len(text):,} characters; the limit is {limits.max_chars:,}")
    return ParsedDocument(text, sections=_SECTIONS_OF_TEXT[suffix](text))
