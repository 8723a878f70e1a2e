"""Small files that are expensive to read."""

import zlib
from collections.abc import Sequence

_CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
_PAGE = b"/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800]"
_LINES = b"q 0 0 m 9 9 l S Q\n"


def million_pages() -> bytes:
    """Six levels of pages, each of which has the next level ten times."""
    levels = [
        b"<< /Type /Pages /Count %d /Kids [%s] >>" % (10 ** (6 - level), b"%d 0 R " % (3 + level) * 10)
        for level in range(6)
    ]
    return _pdf([_CATALOG, *levels, b"<< /Type /Page /MediaBox [0 0 600 800] >>"])


def inflating(size: int = 1 << 30) -> bytes:
    """One page whose content is `size` zeros, deflated a thousandfold."""
    return _one_page(_stream(_deflated(b"\0", size), b"/Filter /FlateDecode"))


def laughing() -> bytes:
    """Ten forms, each of which draws the next one ten times."""
    last = _form(b"BT /F1 9 Tf (laugh) Tj ET", b"/Font << /F1 4 0 R >>")
    forms = [_form(b"/X Do " * 10, b"/XObject << /X %d 0 R >>" % (7 + level)) for level in range(9)]
    return _one_page(_stream(b"/X Do"), b"/XObject << /X 6 0 R >>", [*forms, last])


def recursive() -> bytes:
    """A form that draws itself, twice."""
    form = _form(b"/X Do /X Do", b"/XObject << /X 6 0 R >>")
    return _one_page(_stream(b"/X Do"), b"/XObject << /X 6 0 R >>", [form])


def slow(pages: int = 4_000) -> bytes:
    """Pages that all draw the same, very many lines: they only take time."""
    tree = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (pages, b"3 0 R " * pages)
    page = b"<< %s /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>" % _PAGE
    return _pdf([_CATALOG, tree, page, _FONT, _stream(_deflated(_LINES, 1 << 22), b"/Filter /FlateDecode")])


def _one_page(content: bytes, resources: bytes = b"/Font << /F1 4 0 R >>", more: Sequence[bytes] = ()) -> bytes:
    page = b"<< %s /Resources << %s >> /Contents 5 0 R >>" % (_PAGE, resources)
    return _pdf([_CATALOG, b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page, _FONT, content, *more])


def _form(content: bytes, resources: bytes) -> bytes:
    head = b"/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << %s >>" % resources
    return _stream(content, head)


def _stream(data: bytes, head: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), head, data)


def _deflated(unit: bytes, size: int) -> bytes:
    """Repeat a self-contained compressed block: only the checksum at the end is wrong."""
    packer = zlib.compressobj(9)
    block = unit * ((1 << 20) // len(unit))
    first, piece = (packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + piece * (size // len(block)) + packer.flush()


def _pdf(objects: Sequence[bytes]) -> bytes:
    """The objects without a cross-reference table, which readers rebuild."""
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % numbered for numbered in enumerate(objects, start=1))
    return b"%PDF-1.7\n" + body + b"trailer << /Root 1 0 R >>\n"
