"""The reporter: a thread that writes down what its process has counted, so that any API process can tell all of it.

Worker processes come and go and have no port. What one has counted stands in its row; at its end, or when it has been
silent for long, that goes into the totals, so nothing that is counted ever falls. A process that is killed loses what
it counted within the last seconds: the books are Postgres's, these are for watching.
"""

import threading
import uuid

from clients.telemetry.meter import METER, Counts, Meter, without
from config.settings import settings
from db.queries import meters
from db.session import system_transaction
from workers.once import once
from workers.periodic import Periodic


class Reporter:
    """One per process; `meter` never goes back while it lives."""

    def __init__(self, meter: Meter = METER) -> None:
        self._meter = meter
        self._id: uuid.UUID | None = None
        self._base: Counts = {}
        self._told: Counts = {}
        self._lock = threading.Lock()
        self._telling: Periodic | None = None

    def start(self) -> None:
        """Begin."""
        # Who cannot say the rest is taken for dead later.
        every_s = settings().metrics.report_s
        self._telling = Periodic("reporter", every_s, self.report, failed="counts_not_told", last=self.end)
        self._telling.start()

    def stop(self) -> None:
        """Tell the rest, as far as that is possible within a moment."""
        if self._telling is not None:
            self._telling.stop()

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


@once
def reporter() -> Reporter:
    """That of this process; a forked child needs its own."""
    return Reporter()
