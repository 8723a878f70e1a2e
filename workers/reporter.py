"""The reporter: a thread that writes down what its process has counted, so that any API process can tell all of it.

Worker processes come and go and have no port. What one has counted stands in its row; at its end, or when it has been
silent for long, that goes into the totals, so nothing that is counted ever falls. A process that is killed loses what
it counted within the last seconds: the books are Postgres's, these are for watching.
"""

import threading
import uuid
from contextlib import suppress

import structlog

from clients.telemetry.meter import METER, Counts, Meter, without
from config.settings import settings
from db.queries import meters
from db.session import system_transaction
from domain.errors import CitewellError
from workers.once import once

log = structlog.get_logger()

_JOIN_S = 2.0


class Reporter:
    """One per process; `meter` never goes back while it lives."""

    def __init__(self, meter: Meter = METER) -> None:
        self._meter = meter
        self._id: uuid.UUID | None = None
        self._base: Counts = {}
        self._told: Counts = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin."""
        self._thread = threading.Thread(target=self._run, name="reporter", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Tell the rest, as far as that is possible within a moment."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(_JOIN_S)

    def report(self) -> None:
        """Write what was counted so far. Raises DatabaseUnavailable."""
        with self._lock:
            now = self._meter.counts()
            if self._id is not None and not self._tell(self._id, now):
                # Somebody took this process for dead and kept what it had told.
                self._id, self._base = None, self._told
            if self._id is None:
                process_id = uuid.uuid4()
                with system_transaction() as session:
                    meters.add_meter(session, process_id, without(now, self._base), self._meter.gauges())
                self._id = process_id
            self._told = now

    def unreported(self) -> Counts:
        """What was counted since it was told last."""
        return without(self._meter.counts(), self._told)

    def end(self) -> None:
        """Write the rest, and have it kept. Raises DatabaseUnavailable."""
        self.report()
        with self._lock, system_transaction() as session:
            if self._id is not None:
                meters.fold_meter(session, self._id)
        self._id, self._base = None, self._told

    def _tell(self, process_id: uuid.UUID, now: Counts) -> bool:
        counts = without(now, self._base) if now != self._told else None
        with system_transaction() as session:
            return meters.tell_meter(session, process_id, counts, self._meter.gauges())

    def _run(self) -> None:
        while not self._stopped.wait(settings().metrics.report_s):
            try:
                self.report()
            except CitewellError as error:
                log.warning("counts_not_told", error=type(error).__name__)
            except Exception:
                # Nobody would start this thread again.
                log.exception("counts_not_told")
        # Who cannot say so is taken for dead later.
        with suppress(CitewellError):
            self.end()


@once
def reporter() -> Reporter:
    """That of this process; a forked child needs its own."""
    return Reporter()
