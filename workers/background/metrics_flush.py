"""The reporter: a thread that stores its process's counts, so that any API process can report all of them.

Worker processes come and go and have no port. Each one's counts are in its own row; when it ends, or has been silent
for long, they are added to the totals, so no count ever falls. A killed process loses the counts of its last seconds:
the books are in Postgres, and these are for monitoring.
"""

import threading
import uuid

from clients.telemetry.meter import METER, Counts, Meter, without
from config.settings import settings
from db.queries.reports import meters
from db.session import system_transaction
from workers.processes.once import once
from workers.processes.periodic import Periodic


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
        # A process that cannot store its last counts is later taken for dead.
        every_s = settings().metrics.report_s
        self._telling = Periodic("reporter", every_s, self.report, failed="counts_not_told", last=self.end)
        self._telling.start()

    def stop(self) -> None:
        """Store the remaining counts, as far as possible within a moment."""
        if self._telling is not None:
            self._telling.stop()

    def report(self) -> None:
        """Write the counts so far. Raises DatabaseUnavailable."""
        with self._lock:
            now = self._meter.counts()
            if self._id is not None and not self._tell(self._id, now):
                # This process was taken for dead, and its reported counts were added to the totals.
                self._id, self._base = None, self._told
            if self._id is None:
                process_id = uuid.uuid4()
                with system_transaction() as session:
                    meters.add_meter(session, process_id, without(now, self._base), self._meter.gauges())
                self._id = process_id
            self._told = now

    def unreported(self) -> Counts:
        """The counts since the last report."""
        return without(self._meter.counts(), self._told)

    def end(self) -> None:
        """Write the remaining counts and add them to the totals. Raises DatabaseUnavailable."""
        self.report()
        with self._lock, system_transaction() as session:
            if self._id is not None:
                meters.fold_meter(session, self._id)
        self._id, self._base = None, self._told

    def _tell(self, process_id: uuid.UUID, now: Counts) -> bool:
        counts = without(now, self._base) if now != self._told else None
        with system_transaction() as session:
            return meters.report_meter(session, process_id, counts, self._meter.gauges())


@once
def reporter() -> Reporter:
    """The reporter of this process; a forked child needs its own."""
    return Reporter()
