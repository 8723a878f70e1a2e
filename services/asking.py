"""Who asks: a person who waits for the answer, or a script. It orders the questions of one tenant (A7).

A request says so with `Citewell-Priority: interactive` or `batch`; the page, the command line and the tools of
`citewell mcp` do. Whoever does not say counts as a person until a few of the same key are in flight. What no request
asked for, such as verification that stands, counts as scripted.
"""

from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy.orm import Session

from db.queries.queries import count_in_flight

HEADER = "Citewell-Priority"
FEW = 3
"""So many in flight of one key that do not say who asks count as those of people."""


class Priority(StrEnum):
    """What a request may say."""

    INTERACTIVE = "interactive"
    BATCH = "batch"


@dataclass(frozen=True, slots=True)
class Asker:
    """Of a request: what it says, and the key that it was sent with; None where it says nothing, or has none."""

    priority: Priority | None = None
    key_id: str | None = None


_NOBODY = Asker(Priority.BATCH)
_asker: ContextVar[Asker] = ContextVar("asker", default=_NOBODY)


def asked_by(asker: Asker) -> None:
    """Until the end of the current context, what is stored was asked for by this one."""
    _asker.set(asker)


def asker_columns(session: Session) -> dict[str, Any]:
    """The columns of a query that say who asks for it; in the transaction that stores it."""
    asker = _asker.get()
    is_scripted = asker.priority is Priority.BATCH
    if asker.priority is None:
        is_scripted = count_in_flight(session, asker.key_id, FEW) >= FEW
    return {"is_scripted": is_scripted, "asked_by": asker.key_id}
