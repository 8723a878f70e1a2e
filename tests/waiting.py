"""Waiting for asynchronous events."""

import time
from collections.abc import Callable


def until(happened: Callable[[], bool], seconds: float = 60) -> None:
    """Return as soon as it has happened; fail if it has not within `seconds`."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)
