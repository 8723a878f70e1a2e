"""Zip archives are only unpacked when that is safe (A8)."""

import re
import struct
import zipfile
from io import BytesIO

import pytest

from citewell_documents.errors import DocumentEncrypted, DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing.archives import opened_archive
from citewell_documents.parsing.limits import ParseLimits
from citewell_verify.errors import CitewellError
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=10, max_chars=1000)


def zipped(compression: int = zipfile.ZIP_DEFLATED, **members: bytes) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        archive.mkdir("folder")
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def declaring(data: bytes, size: int) -> bytes:
    """The same archive, with its one member declared to unpack to `size` bytes, in both places."""
    local, central = data.rindex(b"PK\x03\x04"), data.rindex(b"PK\x01\x02")
    patched = bytearray(data)
    patched[local + 22 : local + 26] = patched[central + 24 : central + 28] = struct.pack("<I", size)
    return bytes(patched)


def encrypted(data: bytes) -> bytes:
    patched = bytearray(data)
    patched[data.rindex(b"PK\x01\x02") + 8] |= 1
    return bytes(patched)


def test_members_are_read_by_name() -> None:
    archive = opened_archive(zipped(a=b"one", b=b"two"), "x.zip", LIMITS)
    assert archive.names == ("a", "b")
    assert "b" in archive
    assert archive.size("b") == 3
    assert archive.read("b") == b"two"
    assert zipfile.ZipFile(archive.checked_stream()).read("a") == b"one"
    with pytest.raises(DocumentUnreadable, match=re.escape("x.zip is damaged or incomplete: it has no c")):
        archive.read("c")


REFUSED: dict[str, tuple[bytes, type[CitewellError], str]] = {
    "truncated": (
        zipped(a=b"text" * 99)[:-30],
        DocumentUnreadable,
        "opened as a zip archive; save or download it again",
    ),
    "bomb": (zipped(a=bytes(60_000_000)), DocumentTooLarge, "unpacks like a zip bomb (a); it is not opened"),
    "declared too large": (declaring(zipped(a=b"text"), 600_000_000), DocumentTooLarge, "600,000,000 bytes"),
    "password": (encrypted(zipped(a=b"text")), DocumentEncrypted, "save a copy without a password"),
    "lzma": (zipped(zipfile.ZIP_LZMA, a=b"text" * 99), DocumentUnreadable, "unusual compression"),
    "many": (b"PK\x03\x04" + b"PK\x01\x02" * 50_001, DocumentTooLarge, "more than 50,000 files"),
}


@for_all_rows("name", REFUSED)
def test_what_is_not_safe_is_not_opened(name: str) -> None:
    # A8
    data, error, message = REFUSED[name]
    with pytest.raises(error, match=re.escape(message)):
        opened_archive(data, "x.zip", LIMITS)


def test_a_member_that_lies_about_its_size_is_not_unpacked_beyond_it() -> None:
    # A8
    archive = opened_archive(declaring(zipped(a=bytes(2_000_000)), 10), "x.zip", LIMITS)
    with pytest.raises(DocumentUnreadable, match="a in it cannot be unpacked"):
        archive.read("a")
    with pytest.raises(DocumentUnreadable, match="a in it cannot be unpacked"):
        archive.checked_stream()
