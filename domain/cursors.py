"""Cursors: where a list goes on, as a text that callers only hand back."""

import base64
import binascii
import uuid
from datetime import datetime
from typing import NamedTuple

from domain.errors import CursorInvalid

_SEPARATOR = "|"


class Cursor(NamedTuple):
    """The last row of a page that is sorted by these two."""

    created_at: datetime
    id: uuid.UUID


def encode_cursor(cursor: Cursor) -> str:
    """The cursor as a text for a URL."""
    return base64.urlsafe_b64encode(f"{cursor.created_at.isoformat()}{_SEPARATOR}{cursor.id}".encode()).decode()


def decode_cursor(text: str) -> Cursor:
    """Undo `encode_cursor`. Raises CursorInvalid for everything else."""
    try:
        at, _, row = base64.b64decode(text, altchars=b"-_", validate=True).decode().partition(_SEPARATOR)
        created_at = datetime.fromisoformat(at)
        row_id = uuid.UUID(row)
    except (binascii.Error, ValueError):
        raise CursorInvalid from None
    if created_at.tzinfo is None:
        raise CursorInvalid
    return Cursor(created_at, row_id)
