"""Ends statements whose server has stopped answering, for example because its machine is frozen: requests must be
answered in time.

A frozen server keeps its connections open, and its own timeouts do not expire. A long statement is no sign of a frozen
server either. So while a statement is silent, a new connection shows whether the server answers at all.
"""

import threading
import time
from collections.abc import Generator
from contextlib import suppress
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

_T = TypeVar("_T")

_QUIET_S = 2.0
"""The time that statements may be silent before the server is tried."""
_TRIAL_S = 3
"""The timeout of a trial connection."""
_BETWEEN_S = 0.5


class ServerSilent(psycopg.OperationalError):
    """The server does not answer, although it holds the connection."""


class Server:
    """The state of one server, silent or not, for all threads of a process."""

    def __init__(self) -> None:
        self._arguments: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._answered_at = 0.0
        self.is_silent = False

    def opened(self, arguments: dict[str, Any]) -> "psycopg.Connection[Any]":
        """Return a connection that is closed when it waits for a silent server. Raises ServerSilent at once while the
        server is known to be silent."""
        if self.is_silent:
            raise ServerSilent("the server does not answer")
        self._arguments = {**arguments, "connect_timeout": _TRIAL_S}
        try:
            connection = _Watched.connect(**arguments)
        except psycopg.errors.ConnectionTimeout:
            with self._lock:
                self.fall_silent()
            raise
        connection.server = self
        return connection

    def answers(self) -> bool:
        with self._lock:
            if not self.is_silent and time.monotonic() - self._answered_at > _BETWEEN_S and not self._tried():
                self.fall_silent()
            return not self.is_silent

    def fall_silent(self) -> None:
        """Refuse connections until the server answers again, which a thread of its own checks."""
        if not self.is_silent:
            self.is_silent = True
            try:
                threading.Thread(target=self._wait, name="silent-server", daemon=True).start()
            except RuntimeError:  # There is no room for a thread.
                self.is_silent = False

    def _tried(self) -> bool:
        try:
            psycopg.connect(**self._arguments).close()
        except psycopg.OperationalError as error:
            return is_answer(error)
        self._answered_at = time.monotonic()
        return True

    def _wait(self) -> None:
        # Nothing else ends the silence, so the loop continues whatever fails, such as a lack of descriptors.
        while self.is_silent:
            with suppress(Exception):
                self.is_silent = not self._tried()
            time.sleep(_BETWEEN_S)


def is_answer(error: psycopg.OperationalError) -> bool:
    """Return whether the server, or the kernel of its machine, has refused: the waiting statement will then be refused,
    too.

    A machine that is away gives no answer, and neither does a host that cannot be reached or found. Of several hosts,
    one may be silent.
    """
    told = str(error)
    is_silent = isinstance(error, psycopg.errors.ConnectionTimeout) or "timeout expired" in told
    return not is_silent and (error.sqlstate is not None or "FATAL" in told or "refused" in told)


class _Watched(psycopg.Connection[Any]):
    server: Server

    def wait(self, gen: PQGen[_T], interval: float = 0.1, timeout: float | None = None) -> _T:
        return super().wait(self._watched(gen), interval, timeout)

    def _watched(self, gen: PQGen[_T]) -> Generator[Any, Any, _T]:
        look_at = time.monotonic() + _QUIET_S
        try:
            wanted: Any = next(gen)
            while True:
                ready: Any = yield wanted
                if ready:
                    look_at = time.monotonic() + _QUIET_S
                elif time.monotonic() >= look_at:
                    if not self.server.answers():
                        self.pgconn.finish()
                        raise ServerSilent("the server does not answer")
                    look_at = time.monotonic() + _QUIET_S
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value
