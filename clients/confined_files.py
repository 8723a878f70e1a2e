"""Files below a folder that the operator chose, by paths that come from outside.

Every name of a path is opened relative to the folder before it and without following links. What is opened therefore
lies below the operator's folder, also when folders are exchanged for links meanwhile.
"""

import os
import stat
from pathlib import Path
from typing import BinaryIO

from citewell_documents.errors import PathForbidden
from citewell_documents.paths import names_in

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a named pipe would wait for a writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def open_root(folder: Path) -> int:
    """The operator's folder as a descriptor, which the caller closes; the folder may be a link. Raises OSError."""
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def open_folder(root: int, path: str) -> int:
    """The folder that `path` names below the open folder `root`, as a descriptor that the caller closes.

    Raises PathForbidden for a path that is not relative, and OSError: ELOOP or ENOTDIR where a link would be followed.
    """
    return _opened(root, names_in(path), _FOLDER)


def open_file(root: int, path: str) -> BinaryIO:
    """The file that `path` names below the open folder `root`.

    Raises PathForbidden for a path that is not relative or names something else than a file, and OSError as above.
    """
    descriptor = _opened(root, names_in(path), _FILE)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise PathForbidden("It is no file.")
    return os.fdopen(descriptor, "rb")


def _opened(root: int, names: tuple[str, ...], flags: int) -> int:
    folder = root
    try:
        for name in names[:-1]:
            inner = os.open(name, _FOLDER, dir_fd=folder)
            if folder != root:
                os.close(folder)
            folder = inner
        return os.open(names[-1], flags, dir_fd=folder)
    finally:
        if folder != root:
            os.close(folder)
