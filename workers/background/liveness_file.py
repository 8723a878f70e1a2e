"""The pulse: a file that is touched as long as this worker takes messages; health checks look at its age.

A worker whose broker or database is unreachable is healthy: it waits, and a restart would not help.
"""

import time
from pathlib import Path
from typing import Any

import structlog
from celery import bootsteps

from workers.processes.periodic import Periodic

log = structlog.get_logger()

BEAT_EVERY_S = 2.0
# Longer than anything that the loop waits for: its sockets time out after 5 s.
_STUCK_AFTER_S = 20.0


class Loop:
    """Records the turns of the loop that takes messages. It does not turn while the worker connects or ends."""

    def __init__(self) -> None:
        self._turned_at: float | None = None

    def turned(self) -> None:
        self._turned_at = time.monotonic()

    def rests(self) -> None:
        """It is not expected to turn until it has done so again."""
        self._turned_at = None

    def is_stuck(self) -> bool:
        """Whether it should have turned long ago."""
        turned_at = self._turned_at
        return turned_at is not None and time.monotonic() - turned_at > _STUCK_AFTER_S


loop = Loop()


class WatchedLoop(bootsteps.StartStopStep):
    """A part of Celery's consumer that records the turns of its event loop, restarted for each connection."""

    requires = ("celery.worker.consumer:Tasks",)
    _timer: Any = None

    def start(self, parent: Any) -> None:
        """Called when the consumer is connected."""
        loop.turned()
        self._timer = parent.timer.call_repeatedly(BEAT_EVERY_S, loop.turned)

    def stop(self, parent: Any) -> None:
        """Called when the connection is lost or the worker ends: a loop that waits for last steps does not turn."""
        if self._timer is not None:
            self._timer.cancel()
        loop.rests()


def start_pulse(file: Path, watched: Loop = loop, every_s: float = BEAT_EVERY_S) -> Periodic:
    """Touch the file every `every_s` seconds."""

    def beat() -> None:
        try:
            if not watched.is_stuck():
                file.touch()
        except OSError as error:
            log.warning("pulse_not_written", file=str(file), error=error.strerror)

    pulse = Periodic("pulse", every_s, beat, failed="pulse_not_written", at_once=True)
    pulse.start()
    return pulse
