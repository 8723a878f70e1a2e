"""What the readers of zip archives know of the format: of archives of documents, and of documents that are archives."""

import struct
import zipfile
import zlib

DIRECTORY_ENTRY = b"PK\x01\x02"
"""Begins each entry of the directory; they can be counted before zipfile makes an object of each."""
BOMB_RATIO = 200
"""Documents shrink to a twentieth at most; what unpacks to so many times its size is made to fill a disk."""
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
"""What zipfile raises for an archive that is damaged, or that it cannot read."""
