"""What a file is, told from its first bytes."""

import codecs
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileKind:
    """`name` completes "seems to be …"; `suffix` is the supported extension for it, if there is one."""

    name: str
    suffix: str | None = None
    is_text: bool = False


_SIGNATURES: tuple[tuple[bytes, FileKind], ...] = (
    (b"PK\x03\x04", FileKind("a zip archive or an Office document")),
    (b"PK\x05\x06", FileKind("an empty zip archive")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", FileKind("an old Office document (.doc, .xls, .ppt, .hwp)")),
    (b"{\\rtf", FileKind("an RTF document")),
    (b"\x89PNG\r\n\x1a\n", FileKind("a PNG image")),
    (b"\xff\xd8\xff", FileKind("a JPEG image")),
    (b"GIF8", FileKind("a GIF image")),
    (b"II*\x00", FileKind("a TIFF image")),
    (b"MM\x00*", FileKind("a TIFF image")),
    (b"\x1f\x8b", FileKind("a gzip archive")),
    (b"7z\xbc\xaf\x27\x1c", FileKind("a 7-Zip archive")),
    (b"Rar!\x1a\x07", FileKind("a RAR archive")),
    (b"\x7fELF", FileKind("a program")),
    (b"MZ\x90\x00", FileKind("a program")),
    (b"SQLite format 3\x00", FileKind("an SQLite database")),
)
_PDF = FileKind("a PDF", suffix=".pdf")
_HTML = FileKind("an HTML page", is_text=True)
_TEXT = FileKind("plain text", is_text=True)
_BINARY = FileKind("a damaged or binary file")
_WIDE_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


def kind_of(data: bytes) -> FileKind:
    """Return what `data` seems to be; text is whatever has no known signature and no NUL byte outside UTF-16/32."""
    head = data[:1024]
    if head.lstrip().startswith(b"%PDF-"):
        return _PDF
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            return kind
    if head.startswith(_WIDE_BOMS):
        return _TEXT
    if b"\x00" in data:
        return _BINARY
    return _HTML if head.lstrip().lower().startswith((b"<!doctype html", b"<html")) else _TEXT
