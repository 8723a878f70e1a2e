"""Cursors: opaque positions from which the next page of a list starts, by time or by name."""

import json
import uuid
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends, Query

from db.queries.paging import Place
from domain.errors import CursorInvalid


def _place(
    cursor: Annotated[
        str | None, Query(max_length=200, description="`next_cursor` of the page before; without it, the first page.")
    ] = None,
) -> Place | None:
    if cursor is None:
        return None
    try:
        at, row = json.loads(urlsafe_b64decode(cursor.encode("ascii")))
        place = Place(datetime.fromisoformat(at), uuid.UUID(row))
    except (ValueError, TypeError, AttributeError):
        raise CursorInvalid from None
    if place.created_at.tzinfo is None:
        raise CursorInvalid
    return place


def _name(
    cursor: Annotated[
        str | None, Query(max_length=1000, description="`next_cursor` of the page before; without it, the first page.")
    ] = None,
) -> str:
    if cursor is None:
        return ""
    try:
        (name,) = json.loads(urlsafe_b64decode(cursor.encode("ascii")))
    except (ValueError, TypeError):
        raise CursorInvalid from None
    if not isinstance(name, str) or "\x00" in name:
        raise CursorInvalid
    return name


AfterName = Annotated[str, Depends(_name)]
After = Annotated[Place | None, Depends(_place)]


def next_cursor(rows: Sequence[dict[str, Any]], limit: int) -> str | None:
    """The cursor after the last of `rows`; None when the list ends here. Each row has `created_at` and `id`."""
    if len(rows) < limit:
        return None
    return _cursor([rows[-1]["created_at"], str(rows[-1]["id"])])


def next_name_cursor(rows: Sequence[dict[str, Any]], limit: int) -> str | None:
    """The same for a list by `name`."""
    return _cursor([rows[-1]["name"]]) if len(rows) >= limit else None


def _cursor(place: list[str]) -> str:
    return urlsafe_b64encode(json.dumps(place).encode()).decode()
