"""Recognises file types by signature and, in a zip archive, by the declared content type."""

import codecs
import re
from dataclasses import dataclass

from citewell_documents.errors import DocumentUnusable
from citewell_documents.parsing.archives import opened_archive
from citewell_documents.parsing.encodings import unmarked_utf16
from citewell_documents.parsing.limits import ParseLimits


@dataclass(frozen=True, slots=True)
class FileKind:
    """A type of file: `name` completes "seems to be …"; `suffix` is the extension that a file of it should have, if
    that is certain.
    """

    name: str
    suffix: str | None = None
    is_text: bool = False
    is_encrypted: bool = False


ZIP = FileKind("a zip archive or an Office document")
OLE = FileKind("an old Office document (.doc, .xls, .ppt, .hwp)")
HANGUL_97 = FileKind("a document of Hangul 97 or before", suffix=".hwp")
_LOCKED = FileKind("an Office document with a password", is_encrypted=True)
_LOCKED_STREAM = "EncryptedPackage".encode("utf-16-le")
_SIGNATURES: tuple[tuple[bytes, FileKind], ...] = (
    (b"PK\x03\x04", ZIP),
    (b"PK\x05\x06", FileKind("an empty zip archive")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (b"HWP Document File V", HANGUL_97),
    (b"{\\rtf", FileKind("an RTF document", suffix=".rtf")),
    (b"\x89PNG\r\n\x1a\n", FileKind("a PNG image", suffix=".png")),
    (b"\xff\xd8\xff", FileKind("a JPEG image", suffix=".jpg")),
    (b"GIF8", FileKind("a GIF image")),
    (b"II*\x00", FileKind("a TIFF image", suffix=".tif")),
    (b"MM\x00*", FileKind("a TIFF image", suffix=".tif")),
    (b"\x1f\x8b", FileKind("a gzip archive")),
    (b"7z\xbc\xaf\x27\x1c", FileKind("a 7-Zip archive")),
    (b"Rar!\x1a\x07", FileKind("a RAR archive")),
    (b"\x7fELF", FileKind("a program")),
    (b"MZ\x90\x00", FileKind("a program")),
    (b"SQLite format 3\x00", FileKind("an SQLite database")),
)
_WEBP = FileKind("a WebP image", suffix=".webp")
_PDF = FileKind("a PDF", suffix=".pdf")
HTML = FileKind("an HTML page", suffix=".html", is_text=True)
_TEXT = FileKind("plain text", is_text=True)
_BINARY = FileKind("a damaged or binary file")
# These are searched in [Content_Types].xml and in the member named mimetype; the first match counts.
_ZIPPED = (
    (b"wordprocessingml.document.main+xml", FileKind("a Word document", suffix=".docx")),
    (b"presentationml.presentation.main+xml", FileKind("a PowerPoint presentation", suffix=".pptx")),
    (b"spreadsheetml.sheet.main+xml", FileKind("an Excel workbook", suffix=".xlsx")),
    (b"ms-word.", FileKind("a Word document with macros", suffix=".docm")),
    (b"ms-powerpoint.", FileKind("a PowerPoint presentation with macros", suffix=".pptm")),
    (b"ms-excel.sheet.binary", FileKind("a binary Excel workbook", suffix=".xlsb")),
    (b"ms-excel.", FileKind("an Excel workbook with macros", suffix=".xlsm")),
    (b"wordprocessingml.template", FileKind("a Word template", suffix=".dotx")),
    (b"presentationml.slideshow", FileKind("a PowerPoint show", suffix=".ppsx")),
    (b"oasis.opendocument.text", FileKind("an OpenDocument text", suffix=".odt")),
    (b"oasis.opendocument.spreadsheet", FileKind("an OpenDocument spreadsheet", suffix=".ods")),
    (b"oasis.opendocument.presentation", FileKind("an OpenDocument presentation", suffix=".odp")),
    (b"hwp+zip", FileKind("a Hancom document", suffix=".hwpx")),
    (b"epub+zip", FileKind("an EPUB book", suffix=".epub")),
)
_DART_HEAD = 8192
_DART = re.compile(rb"<DOCUMENT[\s>](?s:.){0,2000}?<DOCUMENT-NAME[\s>]|<DOCUMENT\s[^<>]{0,1000}\bdart\d\.xsd")
_DART_STYLE = re.compile(rb"report_xml\.css|\.SECTION-1\s*\{(?s:.){0,4000}\.TABLE-GROUP\s*\{", re.IGNORECASE)
_CONTROLS, _MOST_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]"), 0.05
_TYPE_MEMBERS = ("[Content_Types].xml", "mimetype")
_MAX_TYPE_BYTES = 1 << 20
_LIMITS = ParseLimits(max_pages=1, max_chars=1)
_WIDE_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


def kind_of(data: bytes) -> FileKind:
    """The apparent type of `data`. A text has no known signature, and hardly any control bytes unless it is
    UTF-16/32.
    """
    head = data[:1024]
    if head.lstrip().startswith(b"%PDF-"):
        return _PDF
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            if kind is OLE and _LOCKED_STREAM in data:
                return _LOCKED
            return _zipped_kind(data) if kind is ZIP else kind
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _WEBP
    if head.startswith(_WIDE_BOMS):
        return _TEXT
    if b"\x00" in data and not unmarked_utf16(data) and len(_CONTROLS.findall(data)) > _MOST_CONTROLS * len(data):
        return _BINARY
    return HTML if head.lstrip().lower().startswith((b"<!doctype html", b"<html")) else _TEXT


def is_dart(data: bytes) -> bool:
    """True for the XML of the Korean disclosure system DART."""
    return _DART.search(data[:_DART_HEAD]) is not None


def is_dart_export(data: bytes) -> bool:
    """True for the HTML that DART's viewer saves."""
    return _DART_STYLE.search(data[:_DART_HEAD]) is not None


def _zipped_kind(data: bytes) -> FileKind:
    """The kind that an archive declares; ZIP also for a broken archive, whose fault its reader then reports."""
    try:
        archive = opened_archive(data, "", _LIMITS)
        types = [name for name in _TYPE_MEMBERS if name in archive and archive.size(name) <= _MAX_TYPE_BYTES]
        declared = b"".join(archive.read(name) for name in types)
    except DocumentUnusable:
        return ZIP
    return next((kind for mark, kind in _ZIPPED if mark in declared), ZIP)
