"""A large constant table that all processes of a user share: a file in the user's cache, mapped and only read.

Each process needs few of its rows, and what it needs is in memory once, however many processes there are. The file is
made from the table itself and may be deleted at any time.
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
    """The same table, shared with other processes; `table` itself where no file can be kept."""
    with suppress(OSError, RuntimeError, ValueError):  # read-only or full, no home, another one's at the same time
        path = _folder() / f"{name}.npy"
        with suppress(OSError, ValueError, EOFError):
            return _mapped(path, table)
        _write(path, table)
        return _mapped(path, table)
    return table


def _folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "citewell"


def _mapped(path: Path, table: Table) -> Table:
    """Raises ValueError when the file holds anything else: a crash may have left it half written."""
    mapped: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    if not np.array_equal(mapped, table):
        raise ValueError(path)
    # The comparison loaded every page. Release them: only the rows that are used will be loaded again.
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
