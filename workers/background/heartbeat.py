"""Presence: every worker process regularly reports that it is alive; admission lets in as much work as they can
take."""

import os
import socket
import time
import uuid
from collections.abc import Sequence

from db.queries.admission import processes
from db.session import system_transaction
from workers.processes.capacity import LOOK_S, Room
from workers.processes.periodic import Periodic

SAY_EVERY_S = 3.0


class Presence:
    """Reports from a daemon thread that this process is alive, until it is stopped."""

    def __init__(
        self, queues: Sequence[str], concurrency: int, say_every_s: float = SAY_EVERY_S, room: Room | None = None
    ) -> None:
        """`room` is for a process that queries are started for; a change of its capacity is reported at once."""
        self._id, self._room = uuid.uuid4(), room
        self._queues, self._concurrency, self._say_every_s = sorted(queues), concurrency, say_every_s
        every_s, self._due = say_every_s if room is None else LOOK_S, 0.0
        self._saying = Periodic(
            "presence", every_s, self._look, failed="presence_not_noted", at_once=True, last=self._forget
        )

    def start(self) -> None:
        self._saying.start()

    def leave(self) -> None:
        """Stop taking part; returns at once, so that a signal handler may call it."""
        self._saying.leave()

    def left(self) -> None:
        """Wait a moment until the departure is stored."""
        self._saying.stop()

    def _look(self) -> None:
        is_new = self._room is not None and self._room.look()
        if is_new or time.monotonic() >= self._due:
            self._due = time.monotonic() + self._say_every_s
            self._say()

    def _forget(self) -> None:
        # If this fails, the process is soon found to be dead.
        with system_transaction() as session:
            processes.delete_process(session, self._id)

    def _say(self) -> None:
        room = None if self._room is None else self._room.places
        with system_transaction() as session:
            processes.record_heartbeat(
                session, self._id, socket.gethostname(), os.getpid(), self._queues, self._concurrency, room
            )
