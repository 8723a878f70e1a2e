"""Documents as people have them, turned into one text with pages and sections (N3)."""

from collections.abc import Callable
from pathlib import PurePath

from clients.parsing.decoding import decode
from clients.parsing.delimited import parse_delimited
from clients.parsing.limits import ParseLimits
from clients.parsing.markdown import markdown_sections
from clients.parsing.opendocument import parse_opendocument
from clients.parsing.pdf import parse_pdf
from clients.parsing.plain import plain_sections
from clients.parsing.signatures import ZIP, FileKind, kind_of
from clients.parsing.slides import parse_slides
from clients.parsing.word import parse_word
from clients.parsing.workbook import parse_workbook
from domain.documents import ParsedDocument
from domain.errors import DocumentEmpty, DocumentEncrypted, DocumentTooLarge, DocumentTypeUnknown, DocumentUnreadable
from domain.formats import SAVE_AS, advice

__all__ = ["READ_SUFFIXES", "ParseLimits", "parse"]

_SECTIONS_OF_TEXT = {
    ".txt": plain_sections,
    ".text": plain_sections,
    ".md": markdown_sections,
    ".markdown": markdown_sections,
}
_READERS: dict[str, Callable[[bytes, str, ParseLimits], ParsedDocument]] = {
    ".pdf": parse_pdf,
    ".docx": parse_word,
    ".pptx": parse_slides,
    ".odt": parse_opendocument,
    ".xlsx": parse_workbook,
    ".csv": parse_delimited,
    ".tsv": parse_delimited,
}
READ_SUFFIXES = (*_SECTIONS_OF_TEXT, *_READERS)  # equal to domain.formats.SUFFIXES, which needs none of the readers
_ZIPPED = (".docx", ".pptx", ".odt", ".xlsx")


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
    if suffix not in READ_SUFFIXES:
        kind = f"{suffix} is" if suffix else "a name without an extension is"
        raise DocumentTypeUnknown(f"{filename}: {kind} not supported; {advice(suffix)}")
    if not data.strip():
        raise DocumentEmpty(f"{filename} is empty")
    _check_kind(data, filename, suffix)
    if read := _READERS.get(suffix):
        return read(data, filename, limits)
    return _parse_text(data, filename, suffix, limits)


def _check_kind(data: bytes, filename: str, suffix: str) -> None:
    kind = kind_of(data)
    if _fits(kind, data, suffix):
        return
    if kind.is_encrypted:
        raise DocumentEncrypted(f"{filename}: {DocumentEncrypted.__doc__}")
    hint = ""
    if kind.suffix in READ_SUFFIXES:
        hint = f"; rename it to {kind.suffix}"
    elif kind.suffix in SAVE_AS:
        hint = f"; save it as {SAVE_AS[kind.suffix]}"
    raise DocumentUnreadable(f"{filename} is named {suffix} but seems to be {kind.name}{hint}")


def _fits(kind: FileKind, data: bytes, suffix: str) -> bool:
    if suffix == ".pdf":
        # PDF readers accept junk before the header, but not more than 1 kB.
        return kind.suffix == ".pdf" or b"%PDF-" in data[:1024]
    if suffix in _ZIPPED:
        return kind is ZIP or kind.suffix == suffix
    return kind.is_text


def _parse_text(data: bytes, filename: str, suffix: str, limits: ParseLimits) -> ParsedDocument:
    text = decode(data, filename)
    if not text.strip():
        raise DocumentEmpty(f"{filename} contains no text")
    if len(text) > limits.max_chars:
        raise DocumentTooLarge(f"{filename} has {len(text):,} characters; the limit is {limits.max_chars:,}")
    return ParsedDocument(text, sections=_SECTIONS_OF_TEXT[suffix](text))
