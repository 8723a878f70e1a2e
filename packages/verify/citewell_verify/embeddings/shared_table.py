"""Shares a large constant table between all processes of a user through a read-only mapped file in the user's cache.

Each process needs few rows, and those are in memory once, however many processes there are. The file is created from
the table and may be deleted at any time.
"""

import mmap
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.uint8]


def shared(table: Table, name: str) -> Table:
    """The same table, shared with other processes; `table` itself where no file can be stored."""
    with suppress(OSError, RuntimeError, ValueError):  # read-only or full disk, no home folder, a concurrent writer
        path = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "citewell" / f"{name}.npy"
        with suppress(OSError, ValueError, EOFError):
            return _mapped(path, table)
        _write(path, table)
        return _mapped(path, table)
    return table


def _mapped(path: Path, table: Table) -> Table:
    """Map the file. Raises ValueError when its content differs: a crash may have left it half written."""
    mapped: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    if not np.array_equal(mapped, table):
        raise ValueError(path)
    # The comparison loaded every page. Release them: only the rows in use will be loaded again.
    mapped._mmap.madvise(mmap.MADV_DONTNEED)
    return mapped


def _write(path: Path, table: Table) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        try:
            np.save(file, table)
            file.close()
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
