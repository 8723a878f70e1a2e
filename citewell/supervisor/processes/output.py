"""Output of a process: to a rotating file, to memory (the last lines), and to a listener."""

import logging
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path

# Called with the name of the process and one line, from the thread that reads that process.
OnLine = Callable[[str, str], None]


class Output:
    """One process's lines. A failing listener or disk costs lines, never the process that prints them."""

    def __init__(self, name: str, folder: Path, on_line: OnLine | None = None) -> None:
        self.name = name
        self.path = folder / f"{name}.log"
        self.tail: deque[str] = deque(maxlen=20)
        self._on_line = on_line
        self._file = _QuietFile(self.path, maxBytes=10_000_000, backupCount=3, encoding="utf-8", delay=True)

    def write(self, line: str) -> None:
        self.tail.append(line)
        self._file.emit(logging.makeLogRecord({"msg": line}))
        if self._on_line is not None:
            with suppress(OSError, ValueError):  # the terminal was closed
                self._on_line(self.name, line)

    def close(self) -> None:
        self._file.close()


class _QuietFile(RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """Drop the line: on a full disk there is nowhere to report it."""
