"""Tells questions of people from questions of scripts, which orders the queue of one tenant (A7).

A request says so with `Citewell-Priority: interactive` or `batch`; the page, the command line and the tools of
`citewell mcp` do. A request without it counts as a person's until a few of the same key are in flight. Work that no
request asked for, such as the re-verification of stored answers, counts as scripted.
"""

from contextvars import ContextVar
from enum import StrEnum
from typing import Any

from sqlalchemy.orm import Session

from db.queries.runs.queries import count_in_flight
from db.session import acting

HEADER = "Citewell-Priority"
FEW = 3
"""With this many queries of one key in flight, further requests without the header count as scripted."""


class Priority(StrEnum):
    """The values of the header."""

    INTERACTIVE = "interactive"
    BATCH = "batch"


_priority: ContextVar[Priority | None] = ContextVar("priority", default=Priority.BATCH)


def set_priority(priority: Priority | None) -> None:
    """Store queries with this value of the header, None if it is absent, until the end of the current context."""
    _priority.set(priority)


def requester_columns(session: Session) -> dict[str, Any]:
    """Columns of a new query; to be called in the transaction that stores it."""
    priority, actor = _priority.get(), acting().actor
    is_scripted = priority is Priority.BATCH
    if priority is None:
        is_scripted = count_in_flight(session, actor, FEW) >= FEW
    return {"is_scripted": is_scripted, "asked_by": actor}
