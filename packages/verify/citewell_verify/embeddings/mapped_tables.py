"""Tables of models as files that all processes of a machine map: only the rows in use are in memory, and only once."""

import mmap
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value", bound=np.generic)


def shared(table: NDArray[Value], name: str) -> NDArray[Value]:
    """The same table, shared with other processes; `table` itself if no file can be stored."""
    with suppress(OSError, RuntimeError, ValueError):  # read-only or full disk, no home folder, a concurrent writer
        path = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "citewell" / f"{name}.npy"
        with suppress(OSError, ValueError, EOFError):
            return _mapped(path, table)
        _write(path, table)
        return _mapped(path, table)
    return table


def _mapped(path: Path, table: NDArray[Value]) -> NDArray[Value]:
    """Map the file. Raises ValueError when its content differs: a crash may have left it half written."""
    mapped: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    if mapped.dtype != table.dtype or not np.array_equal(mapped, table):
        raise ValueError(path)
    # The comparison loaded every page. Release them: only the rows in use will be loaded again.
    mapped._mmap.madvise(mmap.MADV_DONTNEED)
    return mapped


def _write(path: Path, table: NDArray[Value]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        try:
            np.save(file, table)
            file.close()
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
