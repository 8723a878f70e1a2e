"""A list that the server gives out in pages."""

from collections.abc import Mapping
from typing import Any

from citewell.client._calls import Call
from citewell.client._requests import queries as requests
from citewell.wire import QueryHead, QueryPage

_PAGE = 100


class Pages:
    """Where in the list of queries one is; at most `limit` of them, None for all."""

    def __init__(self, filters: Mapping[str, Any], limit: int | None) -> None:
        self._filters = filters
        self._left = limit
        self._cursor: str | None = None
        self.over = limit is not None and limit <= 0

    def next(self) -> Call[QueryPage]:
        """The request for the next page."""
        return requests.queries(self._filters, _PAGE if self._left is None else min(self._left, _PAGE), self._cursor)

    def take(self, page: QueryPage) -> list[QueryHead]:
        """The entries of a page that are wanted."""
        taken = page["queries"][: self._left]
        self._cursor = page.get("next_cursor")
        if self._left is not None:
            self._left -= len(taken)
        self.over = not self._cursor or self._left == 0
        return taken
