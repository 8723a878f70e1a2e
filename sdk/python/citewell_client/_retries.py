"""Retry policy: whether and when a request is sent again; each client sleeps in its own way."""

import time
from dataclasses import dataclass

from citewell_client.errors import ApiProblem, ServerUnreachable

TRIES = 3
_FIRST_PAUSE_S, _SHORTEST_S, _LONGEST_S = 0.25, 0.05, 60.0
_BUSY = frozenset({429, 503})


class Deadline:
    """The end of a wait."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        return max(0.0, self._end - time.monotonic())


@dataclass(slots=True)
class Retries:
    """The tries of one request. With a deadline, a server that names a retry time is asked until the deadline."""

    repeatable: bool
    deadline: Deadline | None = None
    failed: int = 0

    def pause_after(self, error: ApiProblem | ServerUnreachable) -> float:
        """Seconds until the next try. Raises the error itself when there is none."""
        self.failed += 1
        asked = error.retry_after if isinstance(error, ApiProblem) else None
        pause = _FIRST_PAUSE_S * 2 ** (self.failed - 1) if asked is None else max(asked, _SHORTEST_S)
        may_pass = error.passing if isinstance(error, ServerUnreachable) else error.status in _BUSY
        # With a deadline, a server that names the time of the next try may be asked more often.
        is_enough = self.failed >= TRIES and (self.deadline is None or asked is None)
        longest = _LONGEST_S if self.deadline is None else self.deadline.left
        if not (self.repeatable and may_pass) or is_enough or pause >= longest:
            raise error
        return pause
