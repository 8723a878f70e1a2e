"""Long polling: the server holds each request until the end comes, or the request's time is up."""

from collections.abc import Callable
from typing import Generic, TypeVar

from citewell_client._calls import Call
from citewell_client._retries import Deadline
from citewell_client.types import FINAL, Accepted, Document, Query, Verification

# Callers with `on_look` want to see stages; others need only as many requests as the server's limit of 60 s requires.
_LOOK_S, _HOLD_S = 1.0, 30.0
PATIENCE_S = 300.0
DOCUMENT_PATIENCE_S = 600.0
LOOK_EVERY_S = 0.5
_UNREAD = frozenset({"queued", "processing"})

Outcome = TypeVar("Outcome", Query, Verification)


class Waiting(Generic[Outcome]):
    """One wait of at most `seconds`."""

    def __init__(
        self, ask: Callable[[float], Call[Outcome]], seconds: float, on_look: Callable[[Outcome], None] | None
    ) -> None:
        self.deadline = Deadline(seconds)
        self._ask = ask
        self._on_look = on_look

    def next(self) -> Call[Outcome]:
        return self._ask(min(self.deadline.left, _LOOK_S if self._on_look else _HOLD_S))

    def is_over(self, seen: Outcome) -> bool:
        if self._on_look:
            self._on_look(seen)
        return seen["status"] in FINAL or not self.deadline.left


def is_read(seen: Document, deadline: Deadline, on_look: Callable[[Document], None] | None) -> bool:
    if on_look is not None:
        on_look(seen)
    return seen["status"] not in _UNREAD or not deadline.left


def seconds_of(wait: bool | float) -> float:
    return DOCUMENT_PATIENCE_S if wait is True else float(wait)


def with_status(accepted: Accepted, document: Document) -> Accepted:
    """`accepted` with the current status of its document."""
    return {**accepted, "status": document["status"]}
