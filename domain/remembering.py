"""What was read in a text is remembered for the next who asks, within a bound of characters.

The same source is read by every check of every statement that cites it. A bound on the number of texts alone would be
none: two hundred sources of 200,000 characters fill a process.
"""

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MOST_CHARS = 1_000_000
"""Of all texts together that one function remembers: five sources of the greatest length."""


def remembered(most_chars: int = MOST_CHARS, most: int = 2048) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Remember what a pure function of texts returned, for `most` calls and `most_chars` of texts, the latest ones.

    The function takes texts by position. A text that is longer than the bound is read anew each time.
    """

    def wrapped(function: Callable[P, T]) -> Callable[P, T]:
        known: OrderedDict[tuple[object, ...], T] = OrderedDict()
        lock = Lock()
        chars = 0

        @wraps(function)
        def read(*args: P.args, **kwargs: P.kwargs) -> T:
            nonlocal chars
            with lock:
                if args in known:
                    known.move_to_end(args)
                    return known[args]
            found = function(*args, **kwargs)
            size = _chars(args)
            if size > most_chars:
                return found
            with lock:
                if args not in known:
                    chars += size
                known[args] = found
                while chars > most_chars or len(known) > most:
                    chars -= _chars(known.popitem(last=False)[0])
            return found

        return read

    return wrapped


def _chars(args: tuple[object, ...]) -> int:
    return sum(len(each) for each in args if isinstance(each, str))
