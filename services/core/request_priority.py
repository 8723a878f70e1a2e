"""Tells questions of people from questions of scripts, which orders the queue of one tenant (A7).

A request says so with `Citewell-Priority: interactive` or `batch`; the page, the command line and the tools of
`citewell mcp` do. A request without it counts as a person's until a few of the same key are in flight. Work that no
request asked for, such as the re-verification of stored answers, counts as scripted.
"""

from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy.orm import Session

from db.queries.runs.queries import count_in_flight

HEADER = "Citewell-Priority"
FEW = 3
"""With this many queries of one key in flight, further requests without the header count as scripted."""


class Priority(StrEnum):
    """The values of the header."""

    INTERACTIVE = "interactive"
    BATCH = "batch"


@dataclass(frozen=True, slots=True)
class Requester:
    """The sender of a request: the header's value and the API key, each None if absent."""

    priority: Priority | None = None
    key_id: str | None = None


_NOBODY = Requester(Priority.BATCH)
_requester: ContextVar[Requester] = ContextVar("requester", default=_NOBODY)


def set_requester(requester: Requester) -> None:
    """Attribute what is stored until the end of the current context to this requester."""
    _requester.set(requester)


def requester_columns(session: Session) -> dict[str, Any]:
    """Columns of a new query; to be called in the transaction that stores it."""
    requester = _requester.get()
    is_scripted = requester.priority is Priority.BATCH
    if requester.priority is None:
        is_scripted = count_in_flight(session, requester.key_id, FEW) >= FEW
    return {"is_scripted": is_scripted, "asked_by": requester.key_id}
