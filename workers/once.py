"""Making something once per process, however many threads want it first.

What was made before a fork is the child's too: a child makes anew what it says it needs (workers.lifecycle). Locks are
made anew by themselves, since another thread of the parent may have held one.
"""

import os
import threading
import weakref
from collections.abc import Callable
from functools import cache
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class once(Generic[T]):  # noqa: N801 - a decorator
    """Like functools.cache, which calls the function several times when several threads come first together.

    Each has a lock of its own: who wants the name of the process does not wait until its models are loaded. What makes
    one may want others, but never in a circle.
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
        """Make it anew when it is wanted the next time."""
        self._made.cache_clear()


_all: weakref.WeakSet[once[Any]] = weakref.WeakSet()


def _after_fork_in_the_child() -> None:
    for each in _all:
        each.making = threading.RLock()


os.register_at_fork(after_in_child=_after_fork_in_the_child)
