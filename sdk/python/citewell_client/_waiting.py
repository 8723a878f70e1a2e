"""The two waits of the clients: until a request is sent again, and for the end of a question.

Long polling: the server holds each request until the end comes, or the request's time is up.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from citewell_client._calls import Call
from citewell_client.errors import ApiProblem, ServerUnreachable
from citewell_client.types import FINAL, Accepted, Document, Query, Verification

TRIES = 3
_FIRST_PAUSE_S, _SHORTEST_S, _LONGEST_S = 0.25, 0.05, 60.0
_BUSY = frozenset({429, 503})
# Callers with `on_look` want to see the stages; others need only as many requests as the server's limit of 60 s
# requires.
_LOOK_S, _HOLD_S = 1.0, 30.0
PATIENCE_S = 300.0
DOCUMENT_PATIENCE_S = 600.0
LOOK_EVERY_S = 0.5
_UNREAD = frozenset({"queued", "processing"})
"""The states of a document that is not read yet."""

Outcome = TypeVar("Outcome", Query, Verification)


class Deadline:
    """The end of a wait."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        return max(0.0, self._end - time.monotonic())


@dataclass(slots=True)
class Retries:
    """The attempts at one request. With a deadline, a server that names a retry time is asked until the deadline."""

    repeatable: bool
    deadline: Deadline | None = None
    failed: int = 0

    def pause_after(self, error: ApiProblem | ServerUnreachable) -> float:
        """Return the seconds until the next attempt. Raises the error itself when there is none."""
        self.failed += 1
        asked = error.retry_after if isinstance(error, ApiProblem) else None
        pause = _FIRST_PAUSE_S * 2 ** (self.failed - 1) if asked is None else max(asked, _SHORTEST_S)
        may_pass = error.passing if isinstance(error, ServerUnreachable) else error.status in _BUSY
        # With a deadline, a server that names the time of the next attempt may be asked more often.
        is_enough = self.failed >= TRIES and (self.deadline is None or asked is None)
        longest = _LONGEST_S if self.deadline is None else self.deadline.left
        if not (self.repeatable and may_pass) or is_enough or pause >= longest:
            raise error
        return pause


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
    """Return `accepted` with the current status of its document."""
    return {**accepted, "status": document["status"]}
