"""Cursors of lists, which the next page starts from."""

import json
import uuid
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends, Query

from db.queries.paging import Place
from db.queries.runs.conversations import TurnPlace
from domain.errors.requests import CursorInvalid

_Cursor = Annotated[
    str | None,
    Query(max_length=8_000, description="The `next_cursor` of the previous page; without it, the first page."),
]


async def _place(cursor: _Cursor = None) -> Place | None:
    if cursor is None:
        return None
    try:
        at, row = _decoded(cursor)
        place = Place(datetime.fromisoformat(at), uuid.UUID(row))
    except (ValueError, TypeError, AttributeError):
        raise CursorInvalid from None
    if place.created_at.tzinfo is None:
        raise CursorInvalid
    return place


async def _turn_place(cursor: _Cursor = None) -> TurnPlace | None:
    if cursor is None:
        return None
    try:
        position, row = _decoded(cursor)
    except (ValueError, TypeError):
        raise CursorInvalid from None
    if not all(type(number) is int and 0 <= number < 2**63 for number in (position, row)):
        raise CursorInvalid
    return TurnPlace(position, row)


async def _name(cursor: _Cursor = None) -> str:
    if cursor is None:
        return ""
    try:
        (name,) = _decoded(cursor)
    except (ValueError, TypeError):
        raise CursorInvalid from None
    if not isinstance(name, str) or "\x00" in name:
        raise CursorInvalid
    return name


After = Annotated[Place | None, Depends(_place)]
AfterTurn = Annotated[TurnPlace | None, Depends(_turn_place)]
AfterName = Annotated[str, Depends(_name)]


def next_cursor(rows: Sequence[dict[str, Any]], limit: int, by: str = "created_at") -> str | None:
    """The cursor after the last of `rows`; None when the list ends here. Each row has `id` and the time `by`."""
    return _encoded([rows[-1][by], str(rows[-1]["id"])]) if len(rows) >= limit else None


def next_name_cursor(rows: Sequence[dict[str, Any]], limit: int, by: str = "name") -> str | None:
    """Like `next_cursor`, for a list that is ordered by `name`, or by another text."""
    return _encoded([rows[-1][by]]) if len(rows) >= limit else None


def turn_cursor(last: TurnPlace | None) -> str | None:
    return None if last is None else _encoded([*last])


def _decoded(cursor: str) -> Any:
    return json.loads(urlsafe_b64decode(cursor.encode("ascii")))


def _encoded(place: list[Any]) -> str:
    return urlsafe_b64encode(json.dumps(place).encode()).decode()
