"""Touches a liveness file while this worker takes messages; health checks look at the file's age.

A worker whose broker or database is unreachable counts as alive: it waits, and a restart would not help.
"""

import time
from pathlib import Path
from typing import Any

import structlog
from celery import bootsteps

from workers.processes.periodic import Periodic

log = structlog.get_logger()

BEAT_EVERY_S = 2.0
# Longer than any wait of the loop: its sockets time out after 5 s.
_STUCK_AFTER_S = 20.0


class LoopMonitor:
    """Records the turns of the loop that takes messages. It does not turn while the worker connects or shuts down."""

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
        self._timer = parent.timer.call_repeatedly(BEAT_EVERY_S, consumer_loop.record_turn)

    def stop(self, parent: Any) -> None:
        """Called when the connection is lost or the worker shuts down: a loop that waits for steps does not turn."""
        if self._timer is not None:
            self._timer.cancel()
        consumer_loop.pause()


def start_liveness_file(file: Path, watched: LoopMonitor = consumer_loop, every_s: float = BEAT_EVERY_S) -> Periodic:

    def beat() -> None:
        try:
            if not watched.is_stuck():
                file.touch()
        except OSError as error:
            log.warning("pulse_not_written", file=str(file), error=error.strerror)

    beats = Periodic("pulse", every_s, beat, failed="pulse_not_written", at_once=True)
    beats.start()
    return beats
