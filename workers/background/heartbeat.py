"""Heartbeat: every worker process regularly reports that it is alive, and how many queries it can take. Admission
relies on these rows."""

import os
import socket
import time
import uuid
from collections.abc import Sequence

from db.queries.admission import processes
from db.session import system_transaction
from workers.processes.capacity import MEASURE_EVERY_S, Capacity
from workers.processes.periodic import Periodic
from workers.processes.presence import learn

BEAT_EVERY_S = 3.0


class Heartbeat:
    """Reports from a daemon thread that this process is alive, until it is stopped."""

    def __init__(
        self,
        queues: Sequence[str],
        concurrency: int,
        beat_every_s: float = BEAT_EVERY_S,
        capacity: Capacity | None = None,
    ) -> None:
        """`capacity` is for a process that queries are started for; changes are reported immediately."""
        self._id, self._capacity = uuid.uuid4(), capacity
        self._queues, self._concurrency, self._beat_every_s = sorted(queues), concurrency, beat_every_s
        every_s, self._due = beat_every_s if capacity is None else MEASURE_EVERY_S, 0.0
        self._beats = Periodic(
            "presence", every_s, self._beat, failed="presence_not_noted", at_once=True, last=self._forget
        )

    def start(self) -> None:
        self._beats.start()

    def leave(self) -> None:
        self._beats.leave()

    def join(self) -> None:
        self._beats.stop()

    def _beat(self) -> None:
        is_new = self._capacity is not None and self._capacity.adjust()
        if is_new or time.monotonic() >= self._due:
            self._due = time.monotonic() + self._beat_every_s
            capacity = None if self._capacity is None else self._capacity.places
            with system_transaction() as session:
                processes.record_heartbeat(
                    session, self._id, socket.gethostname(), os.getpid(), self._queues, self._concurrency, capacity
                )
                learn(processes.list_served_queues(session, self._queues))

    def _forget(self) -> None:
        """Delete the row of this process; if this fails, the row expires."""
        with system_transaction() as session:
            processes.delete_process(session, self._id)
