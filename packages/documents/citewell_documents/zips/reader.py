"""Zip archives of documents, read from disk one member at a time; each member succeeds or fails by itself.

An archive may be hostile: its declarations are checked before anything is unpacked, and not trusted afterwards.
"""

import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO

from citewell_documents.errors import (
    DocumentEmpty,
    DocumentEncrypted,
    DocumentNameInvalid,
    DocumentNameTaken,
    DocumentTooLarge,
    DocumentUnreadable,
)
from citewell_documents.formats import is_lock_file
from citewell_documents.paths import is_relative
from citewell_verify.errors import CitewellError

# File names in zip archives: decoded from the encodings in use, and confined to the target folder.

_UTF8_FLAG = 0x800
# Rare syllables take eight bytes in EUC-KR, usual ones two.
_USUAL = 2
_MAX_CHARS = 255
_DRIVE = re.compile(r"[A-Za-z]:")
# Operating systems add these beside the user's files.
_JUNK = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})


def decoded_name(info: zipfile.ZipInfo) -> str:
    """The name as its writer meant it: UTF-8, marked or not, Korean Windows' cp949, or else cp437."""
    if info.flag_bits & _UTF8_FLAG or info.orig_filename.isascii():
        return info.orig_filename
    raw = info.orig_filename.encode("cp437")
    for encoding in ("utf-8", "cp949"):
        try:
            name = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        # Accented letters of cp437 that are read as cp949 become rare syllables, which the older KS X 1001 lacks.
        foreign = [character for character in name if not character.isascii()]
        usual = sum(len(character.encode("euc_kr", errors="ignore")) == _USUAL for character in foreign)
        if encoding == "utf-8" or usual * 2 > len(foreign):
            return name
    return info.orig_filename


def is_ignored(name: str) -> bool:
    parts = re.split(r"[/\\]", name)
    return is_lock_file(name) or any(part in _JUNK or (part.startswith(".") and part.strip(".")) for part in parts)


def cleaned_name(name: str) -> str:
    """The path with `/`, in NFC, without empty parts. Raises DocumentNameInvalid when it leads out of the archive."""
    path = unicodedata.normalize("NFC", name).replace("\\", "/")
    cleaned = str(PurePosixPath(path)).strip()
    if cleaned in ("", ".") or len(cleaned) > _MAX_CHARS:
        raise DocumentNameInvalid(f"Its path is empty or longer than {_MAX_CHARS} characters; give it a shorter one.")
    if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in cleaned):
        raise DocumentNameInvalid("Its name has control characters; give it another one.")
    if _DRIVE.match(cleaned) or not is_relative(cleaned):
        raise DocumentNameInvalid("Its name leads out of the archive; pack it with a relative path.")
    return cleaned


DIRECTORY_ENTRY = b"PK\x01\x02"
"""The beginning of each entry of the directory. Entries are counted before zipfile creates an object for each."""
BOMB_RATIO = 200
"""Documents shrink to a twentieth at most; unpacking to this many times its size marks a zip bomb."""
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
)
"""The errors that zipfile raises for an archive that is damaged or unsupported."""
_PIECE = 1 << 20
_BOMB_BYTES = 100_000_000
# Uncompressed nested archives, such as Office documents, contribute their own entries to the count.
_ENTRIES_PER_FILE = 20


@dataclass(frozen=True, slots=True)
class ZipLimits:
    """The largest file, the largest sum of files (bytes, unpacked) and the largest number of files."""

    max_file_bytes: int
    max_total_bytes: int
    max_files: int


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive: its path with `/`, its declared size, and the reason if it is refused."""

    name: str
    size: int
    refused: CitewellError | None
    info: zipfile.ZipInfo


class ZipOfDocuments:
    """An opened archive; `members` leaves out folders, hidden files and additions of operating systems."""

    def __init__(self, opened: zipfile.ZipFile, members: tuple[Member, ...], limits: ZipLimits) -> None:
        self._zip = opened
        self._limits = limits
        self.members = members

    def read(self, member: Member) -> bytes:
        """Unpack a member. Raises the error for which it is refused, and DocumentUnreadable when it is damaged or
        longer than declared.
        """
        if member.refused is not None:
            raise member.refused
        try:
            return b"".join(self._pieces(member))
        except BROKEN:
            raise DocumentUnreadable(
                f"{member.name} is damaged in the archive and cannot be unpacked; pack it anew"
            ) from None

    def _pieces(self, member: Member) -> Iterator[bytes]:
        size = 0
        with self._zip.open(member.info) as unpacked:
            while piece := unpacked.read(_PIECE):
                size += len(piece)
                if size > self._limits.max_file_bytes:
                    raise _too_large(member.name, size, self._limits)
                yield piece


def open_zip(file: BinaryIO, filename: str, limits: ZipLimits) -> ZipOfDocuments:
    """Open an archive if it is safe to unpack.

    Raises DocumentUnreadable for a broken archive, DocumentTooLarge for too many files or bytes, or a bomb.
    """
    most = limits.max_files * _ENTRIES_PER_FILE
    # zipfile creates an object for each entry.
    if _count(file, DIRECTORY_ENTRY, most) > most:
        raise DocumentTooLarge(f"{filename} holds too many files; the limit is {limits.max_files:,}.")
    try:
        opened = zipfile.ZipFile(file)
    except BROKEN:
        raise DocumentUnreadable(
            f"{filename} is damaged: it cannot be opened as a zip archive; save or download it again"
        ) from None
    members = tuple(_members(opened, limits))
    _check(members, file.seek(0, 2), filename, limits)
    return ZipOfDocuments(opened, members, limits)


def _members(opened: zipfile.ZipFile, limits: ZipLimits) -> Iterator[Member]:
    seen: set[str] = set()
    for info in opened.infolist():
        name = decoded_name(info)
        # Windows programs write folders with a backslash.
        if name.endswith(("/", "\\")) or is_ignored(name):
            continue
        name, refused = _named(name)
        if refused is None:
            refused = DocumentNameTaken(f"{name} is in the archive twice") if name in seen else _refusal(info, limits)
            seen.add(name)
        yield Member(name, info.file_size, refused, info)


def _named(name: str) -> tuple[str, CitewellError | None]:
    try:
        return cleaned_name(name), None
    except DocumentNameInvalid as invalid:
        shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in name)
        return shown[:255], invalid


def _refusal(info: zipfile.ZipInfo, limits: ZipLimits) -> CitewellError | None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return DocumentUnreadable("It is a link or another special file, not a document.")
    if info.flag_bits & 1:
        return DocumentEncrypted("It is encrypted in the archive; pack it again without a password.")
    if not info.file_size:
        return DocumentEmpty("It is empty.")
    return _too_large("It", info.file_size, limits) if info.file_size > limits.max_file_bytes else None


def _check(members: tuple[Member, ...], packed: int, filename: str, limits: ZipLimits) -> None:
    if len(members) > limits.max_files:
        raise DocumentTooLarge(f"{filename} holds {len(members):,} files; the limit is {limits.max_files:,}.")
    total = sum(member.size for member in members)
    if total > limits.max_total_bytes:
        raise DocumentTooLarge(
            f"{filename} would unpack to {total:,} bytes; the limit is {limits.max_total_bytes:,}. Send it in parts."
        )
    if total > max(_BOMB_BYTES, BOMB_RATIO * packed):
        raise DocumentTooLarge(f"{filename} unpacks like a bomb: {packed:,} bytes to {total:,}; it is not opened.")


def _too_large(name: str, size: int, limits: ZipLimits) -> DocumentTooLarge:
    return DocumentTooLarge(f"{name} has {size:,} bytes; the limit is {limits.max_file_bytes:,}.")


def _count(file: BinaryIO, wanted: bytes, most: int) -> int:
    count, kept = 0, b""
    file.seek(0)
    while count <= most and (piece := file.read(_PIECE)):
        count += (kept + piece).count(wanted)
        kept = piece[-len(wanted) + 1 :]
    return count
