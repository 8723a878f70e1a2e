"""All metrics in the form that Prometheus reads: counts of all processes, waiting and running work, limits in use.

Every API process reports the same metrics, so only one is scraped. A scrape costs three statements and two requests to
Redis, however long the history, and its result serves all callers within `metrics.remember_s`.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from clients.broker import QueueLevel, queue_levels
from clients.limiter.usage import Use, read_uses
from clients.telemetry.meter import Counts, Gauges
from config.settings import Settings
from db.queries.reports import meters, metrics
from db.queries.reports.metrics import Level
from db.session import system_transaction
from domain.errors.service import DatabaseUnavailable


@dataclass(frozen=True, slots=True)
class MetricsSnapshot:
    """A snapshot. `counts` are None while Postgres is unreachable and nothing was read before: the counts of one
    process are no total, and would look like a fall."""

    counts: Counts | None
    gauges: Gauges
    levels: Sequence[Level] | None
    queues: Mapping[str, QueueLevel] | None
    limits: Sequence[Use]
    served: frozenset[str]
    """All queues that need a worker."""


class Reader:
    """Reads and caches snapshots for one API process. `report` stores the counts of this process (DatabaseUnavailable),
    `unreported` are its counts since then."""

    def __init__(self, report: Callable[[], None], unreported: Callable[[], Counts]) -> None:
        self._report, self._unreported = report, unreported
        self._lock = threading.Lock()
        self._known: MetricsSnapshot | None = None
        self._read_at = 0.0
        self._counted: Counts | None = None

    def read(self, settings: Settings) -> MetricsSnapshot:
        with self._lock:
            if self._known is None or time.monotonic() - self._read_at > settings.metrics.remember_s:
                self._known = self._refreshed(settings)
                self._read_at = time.monotonic()
            return self._known

    def _refreshed(self, settings: Settings) -> MetricsSnapshot:
        served = frozenset(queue for pool in settings.pools.values() for queue in pool.queues)
        queues, limits = queue_levels(settings.redis_url.get_secret_value(), sorted(served)), read_uses(settings)
        try:
            self._report()
            with system_transaction() as session:
                self._counted = meters.sum_meters(session)
                gauges, levels = meters.sum_gauges(session), metrics.list_levels(session)
        except DatabaseUnavailable:
            return MetricsSnapshot(_summed(self._counted, self._unreported()), {}, None, queues, limits, served)
        return MetricsSnapshot(self._counted, gauges, levels, queues, limits, served)


def _summed(counted: Counts | None, more: Counts) -> Counts | None:
    if counted is None:
        return None
    sums = {name: {labels: dict(places) for labels, places in series.items()} for name, series in counted.items()}
    for name, series in more.items():
        for labels, places in series.items():
            own = sums.setdefault(name, {}).setdefault(labels, {})
            for place, value in places.items():
                own[place] = own.get(place, 0.0) + value
    return sums
