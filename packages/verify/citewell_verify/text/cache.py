"""A cache for functions that read texts, bounded by characters.

The same source is read by every check of every statement that cites it. A bound on the number of texts alone would not
help: two hundred sources of 200,000 characters fill a process.
"""

from collections import OrderedDict
from collections.abc import Callable
from functools import update_wrapper
from threading import Lock
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MOST_CHARS = 1_000_000
"""The most characters of all texts together that one function remembers: five sources of the greatest length."""

_FEW, _SHARE_OF_MANY = 5, 0.4
"""If there are more texts than these few, they get only this share of the bound: passages of questions that have ended
are hardly read again, and the results that are remembered for a text take some two hundred bytes for each of its
characters, in all functions together."""


class TextCache(Generic[P, T]):
    """A function with its latest results, for at most `most` calls and `most_chars` characters of texts."""

    def __init__(self, function: Callable[P, T], most_chars: int, most: int) -> None:
        update_wrapper(self, function)
        self._function, self._most_chars, self._most = function, most_chars, most
        self._known: OrderedDict[tuple[object, ...], T] = OrderedDict()
        self._chars = 0
        self._lock = Lock()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        with self._lock:
            if args in self._known:
                self._known.move_to_end(args)
                return self._known[args]
        result = self._function(*args, **kwargs)
        with self._lock:
            self._keep(args, result)
        return result

    def _keep(self, args: tuple[object, ...], result: T) -> None:
        size = _chars(args)
        if size > self._most_chars:
            return
        self._chars += 0 if args in self._known else size
        self._known[args] = result
        while self._is_full():
            self._chars -= _chars(self._known.popitem(last=False)[0])

    def _is_full(self) -> bool:
        share = _SHARE_OF_MANY if len(self._known) > _FEW else 1.0
        return self._chars > share * self._most_chars or len(self._known) > self._most

    def cache_clear(self) -> None:
        with self._lock:
            self._known.clear()
            self._chars = 0


def text_cache(most_chars: int = MOST_CHARS, most: int = 2048) -> Callable[[Callable[P, T]], TextCache[P, T]]:
    """Cache the latest results of a pure function that takes texts by position.

    A text longer than the bound is analysed again each time.
    """
    return lambda function: TextCache(function, most_chars, most)


def _chars(args: tuple[object, ...]) -> int:
    return sum(len(argument) for argument in args if isinstance(argument, str))
