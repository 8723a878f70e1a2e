"""Waiting for asynchronous events, and work beside a test."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager


def until(happened: Callable[[], object], seconds: float = 60) -> None:
    """Return as soon as it has happened; fail if it has not within `seconds`."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


@contextmanager
def meanwhile(work: Callable[[], object]) -> Generator[None]:
    """Do the work in a thread during the block, which waits for its end."""
    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        thread.join()


@contextmanager
def repeating(work: Callable[[], object]) -> Generator[None]:
    """Do the work over and over in a thread until the block ends."""
    enough = threading.Event()

    def repeat() -> None:
        while not enough.wait(0.02):
            work()

    with meanwhile(repeat):
        try:
            yield
        finally:
            enough.set()


def at_once(work: Callable[[int], object], times: int) -> None:
    """Do the work in so many threads at the same time; each is given its number."""
    threads = [threading.Thread(target=work, args=(number,)) for number in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
