"""Iterates a list that the server returns in pages."""

from collections.abc import Callable
from typing import Generic, TypeVar

from citewell.client._calls import Call, Page

_PAGE = 100
_Item = TypeVar("_Item")


class Pages(Generic[_Item]):
    """The position in a list; at most `limit` entries, None for all. `ask` takes the size of a page and a cursor."""

    def __init__(self, ask: Callable[[int, str | None], Call[Page[_Item]]], limit: int | None) -> None:
        self._ask = ask
        self._left = limit
        self._cursor: str | None = None
        self.over = limit is not None and limit <= 0

    def next(self) -> Call[Page[_Item]]:
        return self._ask(_PAGE if self._left is None else min(self._left, _PAGE), self._cursor)

    def take(self, page: Page[_Item]) -> list[_Item]:
        """The entries of a page, up to the limit."""
        taken = page.items[: self._left]
        self._cursor = page.next_cursor
        if self._left is not None:
            self._left -= len(taken)
        self.over = not self._cursor or self._left == 0
        return taken
