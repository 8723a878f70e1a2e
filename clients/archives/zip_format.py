"""Facts about the zip format, for archives of documents and documents that are archives."""

import struct
import zipfile
import zlib

DIRECTORY_ENTRY = b"PK\x01\x02"
"""Begins each entry of the directory; counted before zipfile creates an object for each."""
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
"""Raised by zipfile for an archive that is damaged or unsupported."""
