"""One job of a process that runs again and again in a thread of its own, whatever becomes of one run."""

import random
import threading
from collections.abc import Callable

import structlog

from clients.telemetry import families
from clients.telemetry.meter import METER
from domain.errors import CitewellError

log = structlog.get_logger()

JOIN_S = 2.0
"""How long `stop` waits for the run that is under way."""


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

        The first run is after `every_s`, or `at_once`. After a failure the next one is due as always, or with `retry_s`
        after the first of its pauses, which double up to the second one. `last` runs once, when it was stopped.
        """
        self._name, self._every_s, self._job, self._failed = name, every_s, job, failed
        self._at_once, self._retry_s, self._last = at_once, retry_s, last
        self._stopped, self._woken = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        """Whether it was started, and not stopped since."""
        return self._thread is not None and not self._stopped.is_set()

    def start(self) -> None:
        """Begin, also after `stop`; does nothing while it runs."""
        if self.is_running:
            return
        # The thread of before, if it still lives, has to go on seeing that it was stopped.
        self._stopped, self._woken = threading.Event(), threading.Event()
        run = (self._stopped, self._woken)
        self._thread = threading.Thread(target=self._run, args=run, name=self._name, daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Have a run begin now, or as soon as the one that is under way ends. The pause after a failure is kept."""
        self._woken.set()

    def leave(self) -> None:
        """End after the run that is under way; returns at once, so that a signal handler may call it."""
        self._stopped.set()
        self._woken.set()

    def stop(self) -> None:
        """End, and wait for that, at most for `JOIN_S` seconds."""
        self.leave()
        if self._thread is not None:
            self._thread.join(JOIN_S)

    def _run(self, stopped: threading.Event, woken: threading.Event) -> None:
        if self._at_once:
            woken.set()
        failures = 0
        while True:
            if failures and self._retry_s is not None:
                stopped.wait(_pause_s(failures, *self._retry_s))
            else:
                woken.wait(self._every_s)
            woken.clear()
            if stopped.is_set():
                break
            failures = 0 if attempt(self._name, self._job, self._failed) else failures + 1
        if self._last is not None:
            attempt(self._name, self._last, self._failed)


def attempt(name: str, job: Callable[[], object], failed: str) -> bool:
    """Call `job` for the thread `name`; False, and it is logged and counted, when it raises."""
    try:
        job()
    except CitewellError as error:
        # What it needs is away or restarting: the next run will do.
        log.warning(failed, error=type(error).__name__)
    except Exception:
        # Nobody would start this thread again.
        log.exception(failed)
    else:
        return True
    METER.count(families.PERIODIC_FAILURES, name)
    return False


def _pause_s(failures: int, first_s: float, longest_s: float) -> float:
    # Not all processes at once when what they need is back.
    return min(first_s * 2.0 ** (min(failures, 32) - 1), longest_s) * random.uniform(0.5, 1)  # noqa: S311 - no secret
