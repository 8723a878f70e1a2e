"""`python -m tests.supervisor.arenas`: says how the allocator is set up, then waits to be ended."""

import ctypes
import json
import re
import tempfile
import threading
import time
from typing import Any

THREADS = 8
_BLOCK, _LARGE = 100_000, 6_000_000


_library: Any = ctypes.CDLL(None)
_library.malloc.restype, _library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
_library.fdopen.restype = ctypes.c_void_p


def arenas_of_busy_threads() -> int:
    """The number of arenas while threads that allocated at the same time hold their memory."""
    all_hold = threading.Barrier(THREADS + 1)

    def hold() -> None:
        _library.malloc(_BLOCK)
        all_hold.wait()
        all_hold.wait()

    for _ in range(THREADS):
        threading.Thread(target=hold, daemon=True).start()
    all_hold.wait()
    found = _described().count("<heap nr=")
    all_hold.wait()
    return found


def is_large_block_mapped() -> bool:
    """Whether a block is mapped that is larger than the supervisor's limit and smaller than glibc's."""
    before = _mapped()
    _library.malloc(_LARGE)
    return _mapped() - before >= _LARGE


def _mapped() -> int:
    (size,) = re.findall(r'<total type="mmap" count="\d+" size="(\d+)"/>', _described())
    return int(size)


def _described() -> str:
    with tempfile.TemporaryFile() as file:
        stream = ctypes.c_void_p(_library.fdopen(file.fileno(), b"w"))
        _library.malloc_info(0, stream)
        _library.fflush(stream)
        file.seek(0)
        return file.read().decode()


if __name__ == "__main__":
    found = {"arenas": arenas_of_busy_threads(), "large_is_mapped": is_large_block_mapped()}
    print(json.dumps(found), flush=True)  # noqa: T201 - what a program says
    time.sleep(600)
