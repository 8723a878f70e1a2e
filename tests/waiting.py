"""Waiting for what happens elsewhere."""

import time
from collections.abc import Callable


def until(happened: Callable[[], bool], seconds: float = 60) -> None:
    """Return as soon as it has happened; fail when it has not in time."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)
