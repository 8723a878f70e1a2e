"""Processes that read files, seen from outside."""

import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import replace

import psutil

from citewell_documents.parsing import ParseLimits
from citewell_documents.parsing.sandbox.isolated import parse_isolated
from citewell_documents.parsing.sandbox.servers import servers
from citewell_verify.errors import CitewellError

LIMITS = ParseLimits(max_pages=5_000, max_chars=2_000_000, memory_mb=256, base_s=2, s_per_mb=0)
PATIENT = replace(LIMITS, base_s=60)
_SERVER = "citewell_documents.parsing.sandbox.fork_server"


def server_of(process: psutil.Process) -> psutil.Process | None:
    for child in process.children():
        with suppress(psutil.NoSuchProcess):
            if _SERVER in " ".join(child.cmdline()) and child.status() != psutil.STATUS_ZOMBIE:
                return child
    return None


def readers_of(process: psutil.Process) -> list[psutil.Process]:
    with suppress(psutil.NoSuchProcess):
        if server := server_of(process):
            return server.children()
    return []


@contextmanager
def reading(name: str, data: bytes) -> Generator[tuple[psutil.Process, threading.Thread, list[CitewellError]]]:
    """A reading child, the thread that waits for it, and the thread's errors."""
    errors: list[CitewellError] = []

    def read() -> None:
        try:
            parse_isolated(data, name, PATIENT)
        except CitewellError as error:
            errors.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    child = only_child(psutil.Process())
    try:
        yield child, thread, errors
    finally:
        with suppress(psutil.NoSuchProcess):
            child.kill()
        thread.join(30)


def only_child(worker: psutil.Process) -> psutil.Process:
    """The child that reads, once it has confined itself."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with suppress(psutil.NoSuchProcess):
            for child in filter(is_confined, readers_of(worker)):
                return child
        time.sleep(0.01)
    raise AssertionError("no child")


def is_confined(child: psutil.Process) -> bool:
    """Whether its limits are in force. Its priority, which sinks last, cannot tell it where this process has the lowest
    already, as below `nice make test`."""
    if sys.platform != "linux":
        return child.nice() > psutil.Process().nice()
    return child.rlimit(psutil.RLIMIT_AS)[0] != psutil.RLIM_INFINITY


@contextmanager
def served_by(code: str) -> Generator[None]:
    """Children run this instead of reading."""
    served = f"from citewell_documents.parsing.sandbox.fork_server import serve\nserve(lambda: exec({code!r}))"
    servers.replace((sys.executable, "-c", served))
    try:
        yield
    finally:
        servers.replace()
