"""The names of the files within a PDF, which are not read."""

import re
import zlib
from collections.abc import Iterator

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from citewell_documents.parsing.decoding import clean

_MOST = 20
_MOST_STREAMS, _MOST_BYTES = 2_000, 1_000_000
_OBJECTS = re.compile(rb"/ObjStm\b[^\0]{0,200}?\bstream\r?\n")
_ASSOCIATED = re.compile(rb"/AFRelationship\b")
_REACH = 600  # bytes from the key to the name of its file
_NAME = re.compile(rb"/U?F\s*(?:\(((?:[^\\()]|\\.){1,500})\)|<([0-9A-Fa-f\s]{2,2000})>)", re.DOTALL)
_ESCAPED = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)


def attachment_names(pdf: pdfium.PdfDocument, data: bytes) -> list[str]:
    """The files that readers list, as those of a portfolio, and those associated with the document or a part of it
    (`/AF` of PDF 2.0), which PDFium does not know."""
    names = [pdf.get_attachment(index).get_name() for index in range(min(pdf.count_attachments(), _MOST))]
    if pdfium_c.FPDF_GetSecurityHandlerRevision(pdf) < 0:  # else the names are encrypted
        names += (name for text in _object_texts(data) for name in _associated(text))
    return list(dict.fromkeys(filter(None, (" ".join(clean(name).split()) for name in names))))[:_MOST]


def _object_texts(data: bytes) -> Iterator[bytes]:
    yield data
    for count, found in enumerate(_OBJECTS.finditer(data)):
        if count == _MOST_STREAMS:
            return
        try:
            yield zlib.decompressobj().decompress(data[found.end() : found.end() + _MOST_BYTES], _MOST_BYTES)
        except zlib.error:
            continue


def _associated(text: bytes) -> Iterator[str]:
    for key in _ASSOCIATED.finditer(text):
        first = max(text.rfind(b"endobj", 0, key.start()), key.start() - _REACH, 0)
        names = [*_NAME.finditer(text, first, key.end() + _REACH)]
        if nearest := min(names, key=lambda name: abs(name.start() - key.start()), default=None):
            yield _decoded(nearest)


def _decoded(name: re.Match[bytes]) -> str:
    if name[2]:
        digits = re.sub(r"\s", "", name[2].decode())
        written = bytes.fromhex(digits + "0" * (len(digits) % 2))
    else:
        written = _ESCAPED.sub(
            lambda escape: bytes([int(escape[1], 8) & 255]) if escape[1].isdigit() else escape[1], name[1]
        )
    encoding = {b"\xfe\xff": "utf-16", b"\xef\xbb": "utf-8-sig"}.get(written[:2], "latin-1")
    return written.decode(encoding, "replace")
