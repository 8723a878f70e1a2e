"""Runs a job periodically in its own thread; a failed run does not end it."""

import random
import threading
from collections.abc import Callable

import structlog

from citewell_verify.errors import CitewellError
from clients.telemetry import meter
from clients.telemetry.meter import METER

log = structlog.get_logger()

JOIN_S = 2.0
"""How long `stop` waits for the current run."""


class Periodic:
    """Runs `job` every `every_s` seconds, or only when it is woken, in a daemon thread."""

    def __init__(
        self,
        name: str,
        every_s: float | None,
        job: Callable[[], object],
        *,
        failed: str,
        at_once: bool = False,
        retry_s: tuple[float, float] | None = None,
        last: Callable[[], object] | None = None,
    ) -> None:
        """`failed` is the event that is logged for a run that raises.

        The first run starts after `every_s`, or immediately with `at_once`. After a failure the next run comes at the
        usual time or, with `retry_s` (first, longest), after a pause that doubles with each failure. `last` runs once,
        after the job was stopped.
        """
        self._name, self._every_s, self._job, self._failed = name, every_s, job, failed
        self._at_once, self._retry_s, self._last = at_once, retry_s, last
        self._stopped, self._woken = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        return self._thread is not None and not self._stopped.is_set()

    def start(self) -> None:
        """Start, also again after `stop`; does nothing while it runs."""
        if self.is_running:
            return
        # A previous thread that is still finishing keeps its own events, so it sees that it was stopped.
        self._stopped, self._woken = threading.Event(), threading.Event()
        run = (self._stopped, self._woken)
        self._thread = threading.Thread(target=self._run, args=run, name=self._name, daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Run now, or as soon as the current run ends; a pause after a failure is still waited out."""
        self._woken.set()

    def leave(self) -> None:
        """Ask it to stop after the current run; returns at once, so a signal handler may call it."""
        self._stopped.set()
        self._woken.set()

    def stop(self) -> None:
        self.leave()
        if self._thread is not None:
            self._thread.join(JOIN_S)

    def _run(self, stopped: threading.Event, woken: threading.Event) -> None:
        if self._at_once:
            woken.set()
        failures = 0
        while True:
            if failures and self._retry_s is not None:
                first_s, longest_s = self._retry_s
                pause_s = min(first_s * 2.0 ** (min(failures, 32) - 1), longest_s)
                # Jitter, so that not all processes retry at the same moment.
                stopped.wait(pause_s * random.uniform(0.5, 1))  # noqa: S311 - no secret
            else:
                woken.wait(self._every_s)
            woken.clear()
            if stopped.is_set():
                break
            failures = 0 if attempt(self._name, self._job, self._failed) else failures + 1
        if self._last is not None:
            attempt(self._name, self._last, self._failed)


def attempt(name: str, job: Callable[[], object], failed: str) -> bool:
    """Call `job`; if it raises, log `failed`, count it for the thread `name` and return False."""
    try:
        job()
    except CitewellError as error:
        # A service it needs is unreachable, often restarting: the next run tries again.
        log.warning(failed, error=type(error).__name__)
    except Exception:
        # Nothing restarts this thread, so it must survive.
        log.exception(failed)
    else:
        return True
    METER.count(meter.PERIODIC_FAILURES, name)
    return False
