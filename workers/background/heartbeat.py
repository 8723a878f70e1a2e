"""The reports of every worker process: that it is alive, how many queries it can take, a liveness file, and its
metrics.

A worker whose broker or database is unreachable counts as alive: it waits, and a restart would not help.

Worker processes come and go and have no port, so each has a row with the counts of its metrics. When a process ends, or
has been silent for a long time, its counts are added to the totals, so no count ever falls. A killed process loses the
counts of its last seconds, which is acceptable because they only serve monitoring: the ledger is in Postgres.
"""

import os
import socket
import threading
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import structlog
from celery import bootsteps

from clients.telemetry.meter import METER, Counts, Meter, without
from config.settings import settings
from db.queries.admission import processes
from db.queries.reports import meters
from db.session import system_transaction
from workers.processes.capacity import MEASURE_EVERY_S, Capacity
from workers.processes.runtime import Periodic, note_served_queues, once

log = structlog.get_logger()

TOUCH_EVERY_S = 2.0
# Longer than any wait of the loop: its sockets time out after 5 s.
_STUCK_AFTER_S = 20.0


class LoopMonitor:
    """Records the turns of the loop that takes messages. The loop does not turn while the worker connects or shuts
    down."""

    def __init__(self) -> None:
        self._turned_at: float | None = None

    def record_turn(self) -> None:
        self._turned_at = time.monotonic()

    def pause(self) -> None:
        self._turned_at = None

    def is_stuck(self) -> bool:
        turned_at = self._turned_at
        return turned_at is not None and time.monotonic() - turned_at > _STUCK_AFTER_S


consumer_loop = LoopMonitor()


class WatchedLoop(bootsteps.StartStopStep):
    """A step of Celery's consumer that records the turns of its event loop, restarted for each connection."""

    requires = ("celery.worker.consumer:Tasks",)
    _timer: Any = None

    def start(self, parent: Any) -> None:
        consumer_loop.record_turn()
        self._timer = parent.timer.call_repeatedly(TOUCH_EVERY_S, consumer_loop.record_turn)

    def stop(self, parent: Any) -> None:
        """Called when the connection is lost or the worker shuts down: a loop that waits for steps does not turn."""
        if self._timer is not None:
            self._timer.cancel()
        consumer_loop.pause()


def start_liveness_file(file: Path, watched: LoopMonitor = consumer_loop, every_s: float = TOUCH_EVERY_S) -> Periodic:

    def beat() -> None:
        try:
            if not watched.is_stuck():
                file.touch()
        except OSError as error:
            log.warning("pulse_not_written", file=str(file), error=error.strerror)

    beats = Periodic("pulse", every_s, beat, failed="pulse_not_written", at_once=True)
    beats.start()
    return beats


class Reporter:
    """Reports the metrics of this process; there is one per process. The counts of `meter` never decrease."""

    def __init__(self, meter: Meter = METER) -> None:
        self._meter = meter
        self._id: uuid.UUID | None = None
        self._base: Counts = {}
        self._reported: Counts = {}
        self._lock = threading.Lock()
        self._reports: Periodic | None = None

    def start(self) -> None:
        """Report regularly. If a process cannot store its last counts, they are added later, once it counts as dead."""
        every_s = settings().metrics.report_s
        self._reports = Periodic("reporter", every_s, self.report, failed="counts_not_told", last=self.end)
        self._reports.start()

    def stop(self) -> None:
        if self._reports is not None:
            self._reports.stop()

    def report(self) -> None:
        """Write the counts so far. Raises DatabaseUnavailable."""
        with self._lock:
            now = self._meter.counts()
            if self._id is not None:
                counts = without(now, self._base) if now != self._reported else None
                with system_transaction() as session:
                    is_alive = meters.report_meter(session, self._id, counts, self._meter.gauges())
                if not is_alive:
                    # This process counted as dead, and its reported counts were added to the totals.
                    self._id, self._base = None, self._reported
            if self._id is None:
                process_id = uuid.uuid4()
                with system_transaction() as session:
                    meters.add_meter(session, process_id, without(now, self._base), self._meter.gauges())
                self._id = process_id
            self._reported = now

    def unreported(self) -> Counts:
        return without(self._meter.counts(), self._reported)

    def end(self) -> None:
        """Write the remaining counts and add them to the totals. Raises DatabaseUnavailable."""
        self.report()
        with self._lock, system_transaction() as session:
            if self._id is not None:
                meters.fold_meter(session, self._id)
        self._id, self._base = None, self._reported


@once
def reporter() -> Reporter:
    return Reporter()


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
        """`capacity` is given for a process that queries are started for; its changes are reported immediately."""
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
                note_served_queues(processes.list_served_queues(session, self._queues))

    def _forget(self) -> None:
        """Delete the row of this process; if this fails, the row expires."""
        with system_transaction() as session:
            processes.delete_process(session, self._id)
