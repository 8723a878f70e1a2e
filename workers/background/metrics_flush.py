"""The reporter: a thread that stores the metrics of its process, so that any API process can export all of them.

Worker processes come and go and have no port. Each has a row with its counts; when it ends, or has been silent for a
long time, they are added to the totals, so no count ever falls. A killed process loses the counts of its last seconds,
which is acceptable because they only serve monitoring: the ledger is in Postgres.
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
    """One per process; the counts of `meter` never decrease."""

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
