"""Presence: every worker process says again and again that it lives: as much work is let in as they can take."""

import os
import socket
import threading
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress

import structlog

from db.queries import processes
from db.session import system_transaction
from domain.errors import CitewellError
from workers.room import Room

log = structlog.get_logger()

SAY_EVERY_S = 3.0
_JOIN_S = 2.0


class Presence:
    """Says that this process lives, from a daemon thread, until it is told to stop."""

    def __init__(
        self, queues: Sequence[str], concurrency: int, say_every_s: float = SAY_EVERY_S, room: Room | None = None
    ) -> None:
        """`room` is that of a process for which queries are started; what it can take is said as soon as it changes."""
        self._id, self._room = uuid.uuid4(), room
        self._queues, self._concurrency, self._say_every_s = sorted(queues), concurrency, say_every_s
        self._leaving = threading.Event()
        self._thread = threading.Thread(target=self._run, name="presence", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def leave(self) -> None:
        """Take no part any more; returns at once, so that a signal handler may call it."""
        self._leaving.set()

    def left(self) -> None:
        """Wait until that is written, for a moment."""
        self.leave()
        self._thread.join(_JOIN_S)

    def _run(self) -> None:
        while not self._leaving.is_set():
            try:
                self._say()
            except CitewellError as error:
                log.warning("presence_not_noted", error=type(error).__name__)
            except Exception:
                # Nobody would start this thread again.
                log.exception("presence_not_noted")
            self._until_there_is_something_to_say()
        # Who cannot say so is found to be dead soon.
        with suppress(CitewellError), system_transaction() as session:
            processes.forget(session, self._id)

    def _until_there_is_something_to_say(self) -> None:
        if self._room is None:
            self._leaving.wait(self._say_every_s)
            return
        until = time.monotonic() + self._say_every_s
        while time.monotonic() < until and not self._leaving.is_set():
            if self._room.look(self._leaving):
                return

    def _say(self) -> None:
        room = None if self._room is None else self._room.places
        with system_transaction() as session:
            processes.note_alive(
                session, self._id, socket.gethostname(), os.getpid(), self._queues, self._concurrency, room
            )
