"""Creates an object once per process, even if several threads need it at the same time.

A child inherits the objects created before the fork, and resets those that it must not share (workers.lifecycle).
Locks are reset automatically, because another thread of the parent may have held one.
"""

import os
import threading
import weakref
from collections.abc import Callable
from functools import cache
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class once(Generic[T]):  # noqa: N801 - a decorator
    """Like functools.cache, which however may call the function once per thread when several threads call it first.

    Each object has its own lock, so that the process's name is available while its models are loading. Creating an
    object may need others, but never in a cycle.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self.__wrapped__ = make
        self.__doc__ = make.__doc__
        self._made = cache(make)
        self.making = threading.RLock()
        _all.add(self)

    def __call__(self) -> T:
        with self.making:
            return self._made()

    def cache_clear(self) -> None:
        self._made.cache_clear()


_all: weakref.WeakSet[once[Any]] = weakref.WeakSet()


def _after_fork_in_the_child() -> None:
    for made_once in _all:
        made_once.making = threading.RLock()


os.register_at_fork(after_in_child=_after_fork_in_the_child)
