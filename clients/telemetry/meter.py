"""This process's metrics, in memory. For their aggregation see workers.background.metrics_flush and
services.operations.metrics.

Counting takes a lock and an addition, and never the network.
"""

import json
import os
import threading
from bisect import bisect_left
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager

from clients.telemetry.families import Family

Places = dict[str, float]
"""A counter has its number under "". A histogram has the count of each bucket under its upper bound, and the sum under
"sum"; empty buckets are absent.
"""
Counts = dict[str, dict[str, Places]]
"""By family, then by label values as a JSON list."""
Gauges = dict[str, dict[str, float]]
"""Gauges, by name, then by label values as a JSON list."""

INFINITY = "+Inf"
MOST_SERIES = 1_000
"""Limit per family and process: the model names that a server reports are unbounded."""


def written(labels: Iterable[str]) -> tuple[str, ...]:
    """Labels made valid for UTF-8 and Postgres: servers name models, and half a surrogate pair fails a scrape."""
    return tuple(label.replace("\x00", "").encode("utf-8", "replace").decode() for label in labels)


class Meter:
    """The counts of one process since its start."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, dict[tuple[str, ...], Places]] = {}
        self._gauges: dict[str, dict[tuple[str, ...], float]] = {}

    def count(self, family: Family, *labels: str, by: float = 1.0) -> None:
        if by:
            with self._lock:
                places = self._places(family, labels)
                places[""] = places.get("", 0.0) + by

    def observe(self, family: Family, value: float, *labels: str) -> None:
        index = bisect_left(family.buckets, value)
        bucket = repr(family.buckets[index]) if index < len(family.buckets) else INFINITY
        with self._lock:
            places = self._places(family, labels)
            places[bucket] = places.get(bucket, 0.0) + 1
            places["sum"] = places.get("sum", 0.0) + value

    def set(self, gauge: str, value: float, *labels: str) -> None:
        with self._lock:
            self._gauges.setdefault(gauge, {})[written(labels)] = value

    @contextmanager
    def within(self, gauge: str) -> Generator[None]:
        self._move(gauge, 1.0)
        try:
            yield
        finally:
            self._move(gauge, -1.0)

    def counts(self) -> Counts:
        with self._lock:
            return {
                name: {json.dumps(labels): dict(places) for labels, places in series.items()}
                for name, series in self._counts.items()
            }

    def gauges(self) -> Gauges:
        with self._lock:
            return {
                name: {json.dumps(labels): value for labels, value in series.items()}
                for name, series in self._gauges.items()
            }

    def clear(self) -> None:
        """Forget all counts, in a forked child: the parent reports them."""
        self._lock = threading.Lock()
        self._counts, self._gauges = {}, {}

    def _places(self, family: Family, labels: tuple[str, ...]) -> Places:
        series = self._counts.setdefault(family.name, {})
        labels = written(labels)
        if labels not in series and len(series) >= MOST_SERIES:
            labels = ("other",) * len(labels)
        return series.setdefault(labels, {})

    def _move(self, gauge: str, by: float) -> None:
        with self._lock:
            series = self._gauges.setdefault(gauge, {})
            series[()] = series.get((), 0.0) + by


def without(counts: Mapping[str, Mapping[str, Mapping[str, float]]], base: Counts) -> Counts:
    return {
        name: {
            labels: {
                place: value - base.get(name, {}).get(labels, {}).get(place, 0.0) for place, value in places.items()
            }
            for labels, places in series.items()
        }
        for name, series in counts.items()
    }


METER = Meter()
"""The meter of this process."""

os.register_at_fork(after_in_child=METER.clear)
