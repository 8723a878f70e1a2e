"""Document parsing: turns a file into one text with pages and sections (N3)."""

from collections.abc import Callable
from importlib import import_module
from pathlib import PurePath
from typing import cast

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEmpty, DocumentEncrypted, DocumentTypeUnknown, DocumentUnreadable
from citewell_documents.formats import CODE, IMAGES, LEGACY, MARKUP, SAVE_AS, advice, is_lock_file
from citewell_documents.parsing.encodings import named
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.signatures import HANGUL_97, HTML, OLE, ZIP, FileKind, is_dart, is_dart_export, kind_of

__all__ = ["READ_SUFFIXES", "ParseLimits", "parse"]

_Reader = Callable[[bytes, str, ParseLimits], ParsedDocument]

# Readers are named, not imported: the child process loads only the libraries of its file's format, once it is confined.
_READERS: dict[str, str] = {
    ".txt": "citewell_documents.parsing.text.reader:parse_plain",
    ".text": "citewell_documents.parsing.text.reader:parse_plain",
    ".log": "citewell_documents.parsing.text.reader:parse_plain",
    **dict.fromkeys(MARKUP, "citewell_documents.parsing.text.markup:parse_markup"),
    ".ipynb": "citewell_documents.parsing.text.notebook:parse_notebook",
    ".md": "citewell_documents.parsing.text.reader:parse_markdown",
    ".markdown": "citewell_documents.parsing.text.reader:parse_markdown",
    ".pdf": "citewell_documents.parsing.pdf.reader:parse_pdf",
    ".docx": "citewell_documents.parsing.word.reader:parse_word",
    ".pptx": "citewell_documents.parsing.slides.reader:parse_slides",
    ".odt": "citewell_documents.parsing.opendocument.reader:parse_opendocument",
    ".xlsx": "citewell_documents.parsing.workbook.reader:parse_workbook",
    ".csv": "citewell_documents.parsing.text.delimited:parse_delimited",
    ".tsv": "citewell_documents.parsing.text.delimited:parse_delimited",
    ".html": "citewell_documents.parsing.html.reader:parse_webpage",
    ".htm": "citewell_documents.parsing.html.reader:parse_webpage",
    ".xhtml": "citewell_documents.parsing.html.reader:parse_webpage",
    ".epub": "citewell_documents.parsing.epub.reader:parse_epub",
    ".eml": "citewell_documents.parsing.mail.reader:parse_mail",
    ".hwpx": "citewell_documents.parsing.hwpx.reader:parse_hwpx",
    ".hwp": "citewell_documents.parsing.hwpx.binary:parse_hwp",
    ".rtf": "citewell_documents.parsing.text.rich_text:parse_rich_text",
    ".json": "citewell_documents.parsing.records.json_reader:parse_json",
    **dict.fromkeys((".jsonl", ".ndjson"), "citewell_documents.parsing.records.json_reader:parse_json_lines"),
    ".xml": "citewell_documents.parsing.records.xml_reader:parse_xml",
    **dict.fromkeys((".srt", ".vtt"), "citewell_documents.parsing.subtitles.reader:parse_subtitles"),
    **dict.fromkeys(CODE, "citewell_documents.parsing.code.reader:parse_code"),
    **dict.fromkeys(IMAGES, "citewell_documents.parsing.image.reader:parse_image"),
}
READ_SUFFIXES = (*_READERS, *LEGACY)  # the same as citewell_documents.formats.SUFFIXES, which loads no readers
_DART = "citewell_documents.parsing.dart.reader:parse_dart"
_DART_EXPORT = "citewell_documents.parsing.dart.reader:parse_export"
_JSON = (".json", ".jsonl", ".ndjson", ".ipynb")
_OWN_ENCODING = (".xml", ".eml", ".rtf")  # files of these types state their encoding
_ZIPPED = (".docx", ".pptx", ".odt", ".xlsx", ".epub", ".hwpx")


def parse(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read one file of the type that its name states and its content confirms.

    The stored text is NFC with `\\n` newlines, without NUL, other control characters or lone surrogates; Markdown and
    plain text are otherwise kept as they are. Only PDFs and slides have pages. Sections partition the text from the
    first heading on: each reaches to the next heading of any level.

    This is pure computation that holds the GIL or, inside PDFium, cannot be interrupted, and libraries for old formats
    have faults: untrusted files go through `citewell_documents.parsing.sandbox.isolated`, which calls this in a child
    process. The limits bound pages and characters before they are read; bytes are bounded at upload, memory and time
    by the child.

    Raises DocumentTypeUnknown, DocumentEmpty, DocumentEncrypted, DocumentUnreadable or DocumentTooLarge (A8).
    """
    suffix = PurePath(filename).suffix.lower()
    if is_lock_file(filename):
        raise DocumentTypeUnknown(f"{filename} only says that a document is open; close that, and send it instead")
    if suffix in LEGACY:
        raise DocumentTypeUnknown(f"{filename}: {suffix} is read through LibreOffice; save it as {LEGACY[suffix]}")
    if suffix not in _READERS:
        kind = f"{suffix} is" if suffix else "a name without an extension is"
        raise DocumentTypeUnknown(f"{filename}: {kind} not supported; {advice(suffix)}")
    if not data.strip():
        raise DocumentEmpty(f"{filename} is empty")
    _check_kind(data, filename, suffix)
    if limits.encoding and suffix not in _OWN_ENCODING and kind_of(data).is_text:
        data = named(data, limits.encoding, filename)
    name = _READERS[suffix]
    if suffix == ".xml" and is_dart(data):
        name = _DART
    elif suffix in (".html", ".htm") and is_dart_export(data):
        name = _DART_EXPORT
    module, _, function = name.partition(":")
    reader = cast("_Reader", getattr(import_module(module), function))
    return reader(data, filename, limits)


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
    if suffix == ".rtf":
        return kind.suffix == ".rtf"
    if suffix == ".hwp":
        return kind in (OLE, HANGUL_97)
    if suffix in IMAGES:  # the reader of pictures tells their types apart
        return kind.suffix in IMAGES
    return kind.is_text and not (kind is HTML and suffix in _JSON)
