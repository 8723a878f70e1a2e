"""Limits for reading files while a person waits, to draw pictures of pages.

A stranger's file may take seconds and a gigabyte (citewell_documents.parsing.sandbox), so few files are read at a time,
and few requests wait. Pictures are kept in memory for the next request.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager

from domain.errors.service import Overloaded

_AT_A_TIME, _WAITING = 2, 8
_PATIENCE_S = 15.0
_RETRY_AFTER_S = 3
_KEPT_BYTES = 64_000_000

_places = threading.BoundedSemaphore(_AT_A_TIME)
_queue = threading.BoundedSemaphore(_AT_A_TIME + _WAITING)


@contextmanager
def room_to_read() -> Generator[None]:
    """Take a place, or raise Overloaded when too many requests wait or a place is not free in time."""
    if not _queue.acquire(blocking=False):
        raise Overloaded("Many pages are being drawn; try again in a few seconds.", _RETRY_AFTER_S)
    try:
        if not _places.acquire(timeout=_PATIENCE_S):
            raise Overloaded("Drawing pages takes long at the moment; try again in a few seconds.", _RETRY_AFTER_S)
        try:
            yield
        finally:
            _places.release()
    finally:
        _queue.release()


class KeptPictures:
    """The most recently used pictures, up to a number of bytes."""

    def __init__(self, most_bytes: int = _KEPT_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, draw: Callable[[], bytes]) -> bytes:
        if (picture := self._find(key)) is not None:
            return picture
        with room_to_read():
            if (picture := self._find(key)) is None:  # Another request may have drawn the picture meanwhile.
                picture = draw()
                self._keep(key, picture)
        return picture

    def _find(self, key: Hashable) -> bytes | None:
        with self._lock:
            if (picture := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
            return picture

    def _keep(self, key: Hashable, picture: bytes) -> None:
        with self._lock:
            self._size += len(picture) - len(self._kept.pop(key, b""))
            self._kept[key] = picture
            while self._size > self._most:
                _, gone = self._kept.popitem(last=False)
                self._size -= len(gone)


PICTURES = KeptPictures()
