"""`kill -9` of every kind of worker at its points: a query for each kind, hit at all points of it."""

import signal
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from tests.faults.failpoints import Act, Order, Point
from tests.faults.rig import Rig
from tests.faults.trial import Allowed, Trial, Window

_CHECKS = ("check_statement", "check_alignment", "check_answerability")
_KINDS: dict[str, tuple[str, ...]] = {
    "retrieval": (),
    "reranking": ("rerank_chunk",),
    "generation": ("generate_answer",),
    "citations": ("extract_citations",),
    "verification": _CHECKS,
}
_POINTS: dict[str, Sequence[tuple[Point, str]]] = {
    "retrieval": (
        (Point.BEFORE_CALL, "embed_query"),
        (Point.AFTER_CALL, "query.retrieve"),
        (Point.BEFORE_ACK, "query.retrieve"),
    ),
    "reranking": (
        (Point.BEFORE_CALL, "rerank_chunk"),
        (Point.AFTER_CALL, "query.score_chunks"),
        (Point.BEFORE_ACK, "query.score_chunks"),
        (Point.START, "query.select"),
    ),
    "generation": (
        (Point.BEFORE_CALL, "generate_answer"),
        (Point.AFTER_CALL, "query.generate"),
        (Point.BEFORE_ACK, "query.generate"),
    ),
    "citations": (
        (Point.BEFORE_CALL, "extract_citations"),
        (Point.AFTER_CALL, "query.extract_citations"),
        (Point.BEFORE_ACK, "query.extract_citations"),
    ),
    "verification": (
        (Point.BEFORE_CALL, "check_statement"),
        (Point.AFTER_CALL, "query.check_statements"),
        (Point.BEFORE_ACK, "query.check_statements"),
        (Point.START, "query.assess"),
    ),
}
_WEBHOOK = ((Point.BEFORE_CALL, "webhook"), (Point.AFTER_CALL, "webhook"), (Point.BEFORE_ACK, "webhook.deliver"))
_DOCUMENT = ((Point.BEFORE_CALL, "embed"), (Point.AFTER_CALL, "embed"), (Point.BEFORE_ACK, "document.ingest"))


def kill_everything(rig: Rig, window: Window) -> list[Trial]:
    """A query per kind of worker, one for the webhooks, and two documents."""
    with _held(rig, "retrieval"):
        trials = [_query_trial(rig, window, pool) for pool in _POINTS]
        trials.append(_research_trial(rig, window))
    trials += [_webhook_trial(rig, window), _child_trial(rig, window)]
    return [*trials, _parent_trial(rig, window)]


@contextmanager
def _held(rig: Rig, pool: str) -> Generator[None]:
    """Nothing that is submitted meanwhile begins before its points are armed."""
    rig.signal(pool, signal.SIGSTOP)
    try:
        yield
    finally:
        rig.signal(pool, signal.SIGCONT)


def _query_trial(rig: Rig, window: Window, pool: str) -> Trial:
    trial = Trial(f"kill -9: {pool}", rig, window, kinds=frozenset(_KINDS[pool]))
    query_id = trial.load.submit()
    for point, name in _POINTS[pool]:
        trial.arm(point, name, Order(subject=query_id))
    return trial


def _research_trial(rig: Rig, window: Window) -> Trial:
    # Two decisions and no more: the one before the kill is not bought again (S3.6).
    trial = Trial("kill -9: a research", rig, window, Allowed(extra=2), kinds=frozenset({"decide_search"}))
    query_id = trial.load.submit(run="agentic")
    trial.arm(Point.AFTER_CALL, "query.search", Order(subject=query_id))
    return trial


def _webhook_trial(rig: Rig, window: Window) -> Trial:
    trial = Trial("kill -9: webhooks", rig, window, kinds=frozenset())
    for point, name in _WEBHOOK:
        trial.arm(point, name)
    trial.load.submit()
    return trial


def _child_trial(rig: Rig, window: Window) -> Trial:
    trial = Trial("kill -9: ingestion child", rig, window, kinds=frozenset())
    with _held(rig, "ingestion"):
        document_id = trial.add_document(1)
        for point, name in _DOCUMENT:
            trial.arm(point, name, Order(subject=document_id))
    return trial


def _parent_trial(rig: Rig, window: Window) -> Trial:
    trial = Trial("kill -9: ingestion parent", rig, window, kinds=frozenset())
    # When the child's document is ready, or the two would share a point.
    rig.pump(lambda: not any("embed" in name and "query" not in name for name in rig.points.armed()), 40)
    with _held(rig, "ingestion"):
        document_id = trial.add_document(2)
        trial.arm(Point.BEFORE_CALL, "embed", Order(Act.KILL_PARENT, document_id))
    return trial
