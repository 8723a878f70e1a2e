"""Zip archives for tests, good and hostile ones."""

import io
import stat
import struct
import zipfile
from collections.abc import Callable, Mapping


def zipped(files: Mapping[str, bytes | str]) -> bytes:
    """An archive of these files; names with a leading `@` are symbolic links."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name.removeprefix("@"))
            info.compress_type = zipfile.ZIP_DEFLATED
            if name.startswith("@"):
                info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, content)
    return buffer.getvalue()


def with_raw_name(raw: bytes, content: bytes = b"words") -> bytes:
    """An archive with one file whose name is these bytes, not marked as UTF-8."""
    placeholder = "x" * len(raw)
    return zipped({placeholder: content}).replace(placeholder.encode(), raw)


def encrypted(files: Mapping[str, bytes | str]) -> bytes:
    """The same archive, with every file marked as encrypted."""
    return _patched(zipped(files), 6, 8, "<H", lambda flags: flags | 1)


def declaring(files: Mapping[str, bytes | str], size: int) -> bytes:
    """The same archive, with every file declaring to be `size` bytes long when it is unpacked."""
    return _patched(zipped(files), 22, 24, "<I", lambda _: size)


def _patched(data: bytes, local: int, central: int, kind: str, change: Callable[[int], int]) -> bytes:
    found = bytearray(data)
    for signature, offset in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
        place = found.find(signature)
        while place >= 0:
            (value,) = struct.unpack_from(kind, found, place + offset)
            struct.pack_into(kind, found, place + offset, change(value))
            place = found.find(signature, place + 4)
    return bytes(found)
