"""Metrics in Prometheus' text format."""

import json
from collections.abc import Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from clients.telemetry import meter
from clients.telemetry.meter import FAMILIES, GAUGES, INFINITY, Counts, Family, Places, written
from services.operations.metrics import MetricsSnapshot

Series = Mapping[str, Places]

_LEVELS: dict[str, tuple[str, str, str]] = {
    "queries": ("citewell_queries", "status", "Questions and verifications that wait or run."),
    "query_oldest_seconds": ("citewell_query_oldest_seconds", "status", "How long the oldest has waited, or runs."),
    "documents": ("citewell_documents", "status", "Documents that wait or are read."),
    "document_oldest_seconds": ("citewell_document_oldest_seconds", "status", "Since the last sign of the oldest."),
    "graphs": ("citewell_graphs", "status", "Knowledge graphs that wait or are built."),
    "graph_oldest_seconds": ("citewell_graph_oldest_seconds", "status", "Since the last sign of the oldest."),
    "webhook_deliveries": ("citewell_webhook_deliveries", "status", "Deliveries that are not ended; due ones of them."),
    "webhook_delivery_oldest_seconds": (
        "citewell_webhook_delivery_oldest_seconds",
        "status",
        "For how long the oldest has been due.",
    ),
    "parked_items": ("citewell_parked_items", "", "Items of steps that broke their worker too often, not replayed."),
    "parked_items_oldest_seconds": ("citewell_parked_items_oldest_seconds", "", "Since the first was parked."),
    "claims": ("citewell_claims", "state", "Items of steps: held by a process, put off, or with an expired lease."),
    "workers": ("citewell_workers", "queue", "Worker processes that live, by the queue that they serve."),
}
_ALWAYS = {"claims": ("held", "put_off", "expired")}


class _Collector(Collector):
    def __init__(self, known: MetricsSnapshot, version: str) -> None:
        self._known, self._version = known, version

    def collect(self) -> Iterator[Metric]:
        known = self._known
        yield _gauge("citewell_build_info", "The program's version.", ("version",), [((self._version,), 1.0)])
        up = [(("postgres",), float(known.levels is not None)), (("redis",), float(known.queues is not None))]
        yield _gauge("citewell_up", "Whether a store answers.", ("store",), up)
        yield from _queues(known)
        yield from _levels(known)
        yield from _limits(known)
        for name, (help_, labels) in GAUGES.items():
            series = known.gauges.get(name, {} if labels else {"[]": 0.0})
            if known.levels is not None:
                yield _gauge(name, help_, labels, ((tuple(json.loads(k)), v) for k, v in series.items()))
        if known.counts is not None:
            for family in FAMILIES.values():
                yield _counted(family, known.counts.get(family.name, {}))
            yield _gauge(
                "citewell_quality",
                "The seeds' metrics over all that was counted (S2.7, S3.7).",
                ("metric",),
                (((name,), value) for name, value in ratios(known.counts).items()),
            )


def exposition(known: MetricsSnapshot, version: str) -> bytes:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(known, version))
    return generate_latest(registry)


def _queues(known: MetricsSnapshot) -> Iterator[Metric]:
    levels = (known.queues or {}).items()
    lengths = (((queue,), float(level.length)) for queue, level in levels)
    yield _gauge("citewell_queue_messages", "Messages that wait in the broker.", ("queue",), lengths)
    ages = (((queue,), level.oldest_s or 0.0) for queue, level in levels)
    yield _gauge("citewell_queue_oldest_seconds", "How long the next of them has waited.", ("queue",), ages)


def _levels(known: MetricsSnapshot) -> Iterator[Metric]:
    if known.levels is None:
        return
    always = {**_ALWAYS, "workers": sorted(known.served)}
    for name, (metric, label, help_) in _LEVELS.items():
        measured = {level.label: level.value for level in known.levels if level.name == name}
        values = {**dict.fromkeys(always.get(name, ()), 0.0), **measured}
        labels = (label,) if label else ()
        yield _gauge(
            metric,
            help_,
            labels,
            (((label_value,) if label else (), value) for label_value, value in values.items()),
        )


def _limits(known: MetricsSnapshot) -> Iterator[Metric]:
    uses = known.limits
    used = (((use.model, kind), share) for use in uses for kind, share in use.used.items())
    yield _gauge("citewell_limiter_used_ratio", "Share of a limit in use, 0..1.", ("model", "limit"), used)
    limits = (((use.model, kind), limit) for use in uses for kind, limit in use.limits.items())
    yield _gauge("citewell_limiter_limit", "The limit, per its own time.", ("model", "limit"), limits)
    waiting = (((use.model,), float(use.waiting)) for use in uses)
    yield _gauge("citewell_limiter_waiting", "Calls that wait for their place.", ("model",), waiting)
    in_flight = (((use.model,), float(use.in_flight)) for use in uses)
    yield _gauge("citewell_limiter_in_flight", "Calls that are under way.", ("model",), in_flight)
    refusing = (((use.model,), float(use.refusing)) for use in uses)
    yield _gauge("citewell_limiter_refusing", "1 while the provider's refusal is in force.", ("model",), refusing)


def _gauge(
    name: str, help_: str, labels: tuple[str, ...], values: Iterable[tuple[tuple[str, ...], float]]
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, help_, labels=labels)
    for label_values, value in values:
        family.add_metric(written(label_values), value)
    return family


def _counted(family: Family, series: Series) -> Metric:
    if family.buckets:
        return _histogram(family, series)
    made = CounterMetricFamily(family.name, family.help, labels=family.labels)
    always: Series = {json.dumps([value]): {} for value in family.always} if family.labels else {"[]": {}}
    for labels, places in {**always, **series}.items():
        made.add_metric(written(json.loads(labels)), places.get("", 0.0))
    return made


def _histogram(family: Family, series: Series) -> HistogramMetricFamily:
    made = HistogramMetricFamily(family.name, family.help, labels=family.labels)
    for labels, places in series.items():
        # Buckets of a version with other bounds stay in the totals.
        bounds = sorted({*family.buckets, *(float(place) for place in places if place not in (INFINITY, "sum"))})
        buckets: list[tuple[str, float]] = []
        total = 0.0
        for bound in bounds:
            total += places.get(repr(bound), 0.0)
            buckets.append((repr(bound), total))
        buckets.append((INFINITY, total + places.get(INFINITY, 0.0)))
        made.add_metric(written(json.loads(labels)), buckets, sum_value=places.get("sum", 0.0))
    return made


def ratios(counts: Counts) -> dict[str, float]:
    retrieved = _of(counts, meter.RERANKED, "retrieved")
    rerankings = _of(counts, meter.RERANKINGS)
    scores = meter.RERANK_SCORES
    gained = _of(counts, scores, "selected") - _of(counts, scores, "retrieved")
    none = _of(counts, meter.CORRECTIONS, "none")
    improved, not_improved = (_of(counts, meter.CORRECTIONS, result) for result in ("improved", "not_improved"))
    values = {
        "hallucination_rate": _share(counts, meter.JUDGED_ANSWERS, "true", "false"),
        "confidence_accuracy": _share(counts, meter.CONFIDENCE_RATED, "true", "false"),
        "crag_trigger_rate": _ratio(improved + not_improved, none + improved + not_improved),
        "crag_success_rate": _ratio(improved, improved + not_improved),
        "rerank_score_gain": _ratio(gained, rerankings),
        "selection_rate": _ratio(_of(counts, meter.RERANKED, "selected"), retrieved),
        "answerability_rejection_rate": _share(counts, meter.ANSWERABILITY, "rejected", "supported"),
        "citation_accuracy": _share(counts, meter.CITATION_CHECKS, "accurate", "inaccurate", "uncertain"),
        "citation_coverage": _share(counts, meter.CLAIM_SENTENCES, "true", "false"),
    }
    return {name: value for name, value in values.items() if value is not None}


def _of(counts: Counts, family: Family, *labels: str) -> float:
    key = "[" + ", ".join(f'"{label}"' for label in labels) + "]"
    return counts.get(family.name, {}).get(key, {}).get("", 0.0)


def _share(counts: Counts, family: Family, part: str, *others: str) -> float | None:
    counted = _of(counts, family, part)
    return _ratio(counted, counted + sum(_of(counts, family, label) for label in others))


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
