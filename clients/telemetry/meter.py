"""This process's metrics, in memory, and all metric families with their help, labels and buckets.

Labels have few values, all known to the program or its configuration: never an id, a name or a text.

Counting takes a lock and an addition, and never uses the network.
"""

import json
import os
import threading
from bisect import bisect_left
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

_FAST = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_SLOW = (0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0)


@dataclass(frozen=True, slots=True)
class Family:
    """A counter, or with `buckets` (upper bounds, in seconds) a histogram.

    `always` are values of the family's only label that are exported as 0 before they were ever counted: an event that
    never happened has a share of 0, and queries need a series for it.
    """

    name: str
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    always: tuple[str, ...] = ()


HTTP_REQUESTS = Family(
    "citewell_http_requests", "HTTP requests by route template and status.", ("method", "route", "status")
)
HTTP_SECONDS = Family(
    "citewell_http_request_seconds", "Until the head of the response was sent, s.", ("method", "route"), _FAST
)

QUERIES_ENDED = Family("citewell_queries_ended", "Queries that reached their final status.", ("kind", "status"))
QUERY_SECONDS = Family(
    "citewell_query_seconds", "From acceptance to the end of queries that succeeded, s.", ("kind",), _SLOW
)
DOCUMENTS_ENDED = Family("citewell_documents_ended", "Ingestions that ended.", ("status",), always=("ready", "failed"))
DOCUMENT_SECONDS = Family("citewell_document_seconds", "One attempt to ingest a document, s.", (), _SLOW)

STEP_SECONDS = Family("citewell_step_seconds", "A step of one message at work, s.", ("step",), _FAST)
STEP_ITEMS = Family(
    "citewell_step_items",
    "Items of steps by how they ended: done, failed (a value stands in), put_off, superseded.",
    ("step", "outcome"),
)
STEPS_PARKED = Family("citewell_steps_parked", "Items that broke their worker too often and are not tried.", ("step",))
PERIODIC_FAILURES = Family(
    "citewell_periodic_failures", "Runs of what a process does again and again that failed.", ("thread",)
)
QUERIES_RELAUNCHED = Family("citewell_queries_relaunched", "Starts of queries that had stopped.")

MODEL_CALLS = Family(
    "citewell_model_calls",
    "Calls to models by result: ok, rate_limited (429), refused (other 4xx), unavailable, invalid.",
    ("model", "purpose", "result"),
)
MODEL_SECONDS = Family("citewell_model_call_seconds", "One call to a model, s.", ("model", "purpose"), _FAST)
MODEL_TOKENS = Family(
    "citewell_model_tokens",
    "Tokens as billed: prompt (cached ones included), cached, completion.",
    ("model", "purpose", "kind"),
)
MODEL_COST = Family("citewell_model_cost_usd", "What calls cost, US dollars.", ("model", "purpose"))
KEPT_REPLIES = Family("citewell_kept_replies", "Calls that an earlier reply answered.", ("model", "purpose"))
HEDGED_CALLS = Family("citewell_hedged_calls", "Second calls because the first was late.", ("model", "purpose"))
CIRCUIT_OPENED = Family("citewell_circuit_opened", "Times that a process left a failing model alone.", ("model",))
IMPOSSIBLE_USAGE = Family(
    "citewell_impossible_usage", "Replies whose server told tokens that cannot be, and were counted here.", ("model",)
)

SENTENCES = Family("citewell_sentences", "Sentences of published answers by their verdict (N4).", ("verdict",))
CITATION_CHECKS = Family(
    "citewell_citation_checks", "Citations of answers as they were written, by verdict (S5.4).", ("verdict",)
)
REPAIRS = Family(
    "citewell_repairs",
    "Repairs of answers: removed (citations); reattributed, rewritten, dropped (sentences) (N5).",
    ("kind",),
)
ANSWERS = Family("citewell_answers", 'Answers to questions: answered, or abstained ("I don\'t know").', ("result",))

JUDGED_ANSWERS = Family(
    "citewell_judged_answers",
    "Verified answers that state something; hallucinated or not (S2.7).",
    ("hallucinated",),
    always=("true", "false"),
)
CORRECTIONS = Family(
    "citewell_corrections",
    "Verified answers by corrective retrieval: none, improved, not_improved (S2.7).",
    ("result",),
    always=("none", "improved", "not_improved"),
)
CONFIDENCE_RATED = Family(
    "citewell_confidence_rated",
    "Answers that people rated, by whether the confidence agrees (S2.7).",
    ("agrees",),
    always=("true", "false"),
)
ANSWERABILITY = Family(
    "citewell_answerability_checks", "Answers by the answerability check's last verdict (S3.4).", ("verdict",)
)
QUESTIONS = Family(
    "citewell_question_verdicts",
    "Answers by whether they answer their question: yes, partly, no, and complete, open (V8).",
    ("relevant", "complete"),
)
RERANKED = Family("citewell_reranked_passages", "Passages that were retrieved and selected (S3.7).", ("stage",))
RERANK_SCORES = Family(
    "citewell_rerank_scores",
    "Sum of the mean scores of what was retrieved and of what was selected; their difference is the gain (S3.7).",
    ("stage",),
)
RERANKINGS = Family("citewell_rerankings", "Questions with readable rerank scores on both sides (S3.7).")
CLAIM_SENTENCES = Family(
    "citewell_claim_sentences",
    "Sentences that state something, by whether they cite (S3.7).",
    ("cited",),
    always=("true", "false"),
)

WEBHOOK_ATTEMPTS = Family("citewell_webhook_attempts", "Attempts to deliver, by what came of them.", ("outcome",))
WEBHOOK_SECONDS = Family("citewell_webhook_attempt_seconds", "One attempt to deliver, s.", (), _FAST)

SSE_WATCHERS, WAITING_REQUESTS = "citewell_sse_watchers", "citewell_waiting_requests"
OPEN_CIRCUITS, ALONE = "citewell_open_circuits", "citewell_limiter_alone_processes"
GAUGES: dict[str, tuple[str, tuple[str, ...]]] = {
    SSE_WATCHERS: ("Streams of server-sent events that are open.", ()),
    WAITING_REQUESTS: ("Requests that wait for the end of their query.", ()),
    OPEN_CIRCUITS: ("Processes that leave a failing model alone.", ("model",)),
    ALONE: ("Processes that use a share of the limits by themselves, because Redis is away.", ()),
}
"""Gauges of each process, with help and labels; a scrape exports the sum."""

FAMILIES: dict[str, Family] = {family.name: family for family in list(globals().values()) if isinstance(family, Family)}
"""Every family by its name."""


Places = dict[str, float]
"""A counter has its number under "". A histogram has the count of each bucket under its upper bound, and the sum under
"sum"; empty buckets are absent.
"""
Counts = dict[str, dict[str, Places]]
"""The counts, by family, then by label values as a JSON list."""
Gauges = dict[str, dict[str, float]]
"""Gauges, by name, then by label values as a JSON list."""

INFINITY = "+Inf"
MOST_SERIES = 1_000
"""Limit per family and process: the model names that a server reports are unbounded."""


def written(labels: Iterable[str]) -> tuple[str, ...]:
    """The labels, made valid for UTF-8 and Postgres. Servers choose the names of models, and half a surrogate pair in
    one would make a scrape fail.
    """
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
        """Forget all counts. A forked child calls this, because its parent reports them."""
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
