"""Creates an object once per process, however many threads need it first.

Objects created before a fork are also the child's: a child resets those it must create itself (workers.lifecycle).
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
    """Like functools.cache, which calls the function several times when several threads come first at the same time.

    Each object has its own lock: the process's name is available while its models are loading. Creating one object may
    need others, but never in a circle.
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
        """Create it again at the next call."""
        self._made.cache_clear()


_all: weakref.WeakSet[once[Any]] = weakref.WeakSet()


def _after_fork_in_the_child() -> None:
    for each in _all:
        each.making = threading.RLock()


os.register_at_fork(after_in_child=_after_fork_in_the_child)
