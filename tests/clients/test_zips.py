"""Zip archives: their contents, the names of these, and what is refused (A8, N3)."""

import io
import zipfile

import pytest

from citewell_documents.errors import DocumentTooLarge, DocumentUnreadable
from citewell_documents.zips.reader import Member, ZipLimits, ZipOfDocuments, open_zip
from tests.archives import declaring, encrypted, with_raw_name, zipped
from verify_material.rows import for_all_rows

LIMITS = ZipLimits(max_file_bytes=1_000_000, max_total_bytes=300_000_000, max_files=50)


def opened(data: bytes, limits: ZipLimits = LIMITS) -> ZipOfDocuments:
    return open_zip(io.BytesIO(data), "some.zip", limits)


def only(data: bytes, limits: ZipLimits = LIMITS) -> Member:
    (member,) = opened(data, limits).members
    return member


def test_files_are_named_by_their_path_and_read_one_by_one() -> None:  # N3
    archive = opened(zipped({"b.txt": "two", "contracts/2024/a.md": "one", "empty/": ""}))
    assert [(member.name, archive.read(member)) for member in archive.members] == [
        ("b.txt", b"two"),
        ("contracts/2024/a.md", b"one"),
    ]


@for_all_rows(
    "name", ["__MACOSX/._a.txt", ".DS_Store", "deep/.hidden/a.txt", ".git/config", "Thumbs.db", "a/desktop.ini"]
)
def test_what_nobody_means_is_left_out(name: str) -> None:
    assert only(zipped({name: "x", "a.txt": "words"})).name == "a.txt"


@for_all_rows(
    ("raw", "name"),
    [
        ("환불 규정.txt".encode(), "환불 규정.txt"),
        ("환불 규정.txt".encode("cp949"), "환불 규정.txt"),
        ("똠방각하.txt".encode("cp949"), "똠방각하.txt"),
        ("café.txt".encode("cp437"), "café.txt"),
        ("Müller.txt".encode("cp437"), "Müller.txt"),
        (b"folder\\a.txt", "folder/a.txt"),
        (b"./a//b/./c.txt", "a/b/c.txt"),
        ("한글.txt".encode(), "한글.txt"),
    ],
)
def test_names_are_read_in_the_encoding_they_were_written_in(raw: bytes, name: str) -> None:  # N3
    assert only(with_raw_name(raw)).name == name


@for_all_rows(
    ("name", "code"),
    [
        ("/etc/passwd.txt", "document_name_invalid"),
        (" /etc/passwd.txt", "document_name_invalid"),
        (" ../a.txt", "document_name_invalid"),
        (" C:/a.txt", "document_name_invalid"),
        ("//server/share/a.txt", "document_name_invalid"),
        ("../../a.txt", "document_name_invalid"),
        ("a/../../b.txt", "document_name_invalid"),
        ("..\\..\\a.txt", "document_name_invalid"),
        ("C:\\a.txt", "document_name_invalid"),
        ("a\nb.txt", "document_name_invalid"),
        (f"{'a' * 256}.txt", "document_name_invalid"),
        ("@link.txt", "document_unreadable"),
    ],
)
def test_what_leads_elsewhere_is_refused_by_itself(name: str, code: str) -> None:  # A8
    archive = opened(zipped({name: "/etc/passwd", "good.txt": "words"}))
    bad, good = archive.members
    assert bad.refused
    assert bad.refused.code == code
    with pytest.raises(type(bad.refused)):
        archive.read(bad)
    assert archive.read(good) == b"words"


def test_encrypted_empty_large_and_repeated_files_are_refused_by_themselves() -> None:  # A8
    assert getattr(only(encrypted({"a.txt": "words"})).refused, "code", None) == "document_encrypted"
    assert getattr(only(zipped({"a.txt": ""})).refused, "code", None) == "document_empty"
    assert getattr(only(zipped({"a.txt": "x" * 1_000_001})).refused, "code", None) == "document_too_large"
    first, second = opened(zipped({"a.txt": "1", "./a.txt": "2"})).members
    assert (first.refused, getattr(second.refused, "code", None)) == (None, "document_name_taken")


def test_a_file_that_is_longer_than_it_says_is_not_unpacked_further() -> None:  # A8
    archive = opened(declaring({"a.txt": "x" * 500_000}, 10))
    with pytest.raises(DocumentUnreadable, match="damaged"):
        archive.read(archive.members[0])


def test_a_damaged_file_does_not_spoil_the_others() -> None:  # A8
    data = bytearray(zipped({"bad.txt": " ".join(map(str, range(500))), "good.txt": "words"}))
    data[60:70] = b"\xff" * 10
    archive = opened(bytes(data))
    bad, good = archive.members
    with pytest.raises(DocumentUnreadable):
        archive.read(bad)
    assert archive.read(good) == b"words"


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04 and nothing else", zipped({"a.txt": "words"})[:-30], b"words" * 100]
)
def test_what_is_no_archive_is_refused(data: bytes) -> None:  # A8
    with pytest.raises(DocumentUnreadable, match="is damaged"):
        opened(data)


def test_too_many_files_or_bytes_are_refused_before_anything_is_unpacked() -> None:  # A8
    many = zipped({f"{number}.txt": "x" for number in range(51)})
    with pytest.raises(DocumentTooLarge, match="51 files; the limit is 50"):
        opened(many)
    with pytest.raises(DocumentTooLarge, match="too many files"):
        opened(many, ZipLimits(1, 1, 2))
    with pytest.raises(DocumentTooLarge, match="the limit is 100"):
        opened(zipped({"a.txt": "x" * 101}), ZipLimits(1000, 100, 5))


def test_a_bomb_is_not_opened() -> None:  # A8
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"{number}.txt", b"0" * 40_000_000)
    with pytest.raises(DocumentTooLarge, match="bomb"):
        opened(buffer.getvalue())
