"""Making something once per process, however many threads want it first, and anew in a forked child."""

import os
import threading
from collections.abc import Callable
from functools import cache
from typing import Generic, TypeVar

T = TypeVar("T")

_making = threading.RLock()


class once(Generic[T]):  # noqa: N801 - a decorator
    """Like functools.cache, which calls the function several times when several threads come first together."""

    def __init__(self, make: Callable[[], T]) -> None:
        self.__wrapped__ = make
        self.__doc__ = make.__doc__
        self._made = cache(make)

    def __call__(self) -> T:
        with _making:
            return self._made()

    def cache_clear(self) -> None:
        """Make it anew when it is wanted the next time."""
        self._made.cache_clear()


def _after_fork_in_the_child() -> None:
    # Another thread of the parent may have held it.
    global _making
    _making = threading.RLock()


os.register_at_fork(after_in_child=_after_fork_in_the_child)
