"""Safe reading of untrusted zip archives: sizes are checked before anything is unpacked."""

import zipfile
from collections.abc import Iterator
from io import BytesIO

from citewell_documents.errors import DocumentEncrypted, DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.zips.reader import BOMB_RATIO, BROKEN, DIRECTORY_ENTRY

_MAX_MEMBERS = 50_000
_BOMB_BYTES = 50_000_000
_CHUNK = 1 << 20
# Other methods cannot be unpacked incrementally here, and no Office program writes them.
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Archive:
    """The members of a zip archive, by name. No member is unpacked beyond its declared size."""

    def __init__(self, data: bytes, filename: str, opened: zipfile.ZipFile) -> None:
        self._data = data
        self._filename = filename
        self._zip = opened
        self._members = {member.filename: member for member in opened.infolist() if not member.is_dir()}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._members)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def size(self, name: str) -> int:
        return self._members[name].file_size

    def read(self, name: str) -> bytes:
        """The content of a member. Raises DocumentUnreadable when it is missing or damaged."""
        if name not in self._members:
            raise DocumentUnreadable(
                f"{self._filename} is damaged or incomplete: it has no {name}; save or download it again"
            )
        return b"".join(self._chunks(name))

    def checked_stream(self) -> BytesIO:
        """The whole archive, for a library that unpacks it itself, after checking that every member is as declared.

        Raises DocumentUnreadable when a member is damaged or longer than declared.
        """
        for name in self._members:
            for _ in self._chunks(name):
                pass
        return BytesIO(self._data)

    def _chunks(self, name: str) -> Iterator[bytes]:
        try:
            with self._zip.open(self._members[name]) as member:
                while chunk := member.read(_CHUNK):
                    yield chunk
        except BROKEN:
            raise DocumentUnreadable(
                f"{self._filename} is damaged: {name} in it cannot be unpacked; save or download it again"
            ) from None


def opened_archive(data: bytes, filename: str, limits: ParseLimits) -> Archive:
    """Open a zip archive from memory, if it is safe to unpack.

    Raises DocumentUnreadable for a broken archive, DocumentEncrypted for members with a password, DocumentTooLarge for
    more than `limits.max_unpacked_bytes` in total or a member that unpacks like a bomb.
    """
    if data.count(DIRECTORY_ENTRY) > _MAX_MEMBERS:  # checked before zipfile creates an object for each entry
        raise DocumentTooLarge(f"{filename} holds more than {_MAX_MEMBERS:,} files, which is the limit.")
    try:
        opened = zipfile.ZipFile(BytesIO(data))
    except BROKEN:
        raise DocumentUnreadable(
            f"{filename} is damaged: it cannot be opened as a zip archive; save or download it again"
        ) from None
    _check(opened.infolist(), filename, limits)
    return Archive(data, filename, opened)


def _check(members: list[zipfile.ZipInfo], filename: str, limits: ParseLimits) -> None:
    total = sum(member.file_size for member in members)
    if total > limits.max_unpacked_bytes:
        megabytes = limits.max_unpacked_bytes // 1_000_000
        raise DocumentTooLarge(f"{filename} would unpack to {total:,} bytes; the limit is {megabytes:,} MB.")
    for member in members:
        if member.file_size > max(_BOMB_BYTES, BOMB_RATIO * member.compress_size):
            raise DocumentTooLarge(f"{filename} unpacks like a zip bomb ({member.filename}); it is not opened.")
        if member.flag_bits & 1:
            raise DocumentEncrypted(f"{filename}: {DocumentEncrypted.__doc__}")
        if member.compress_type not in _COMPRESSIONS:
            raise DocumentUnreadable(f"{filename} uses an unusual compression; pack it again as an ordinary zip")
