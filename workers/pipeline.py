"""The workflow, on one screen.

    retrieve ─▶ score_chunks × n ─▶ select ─▶ generate ──────────▶ plan_checks ─▶ check_alignment ─────▶ conclude
                (chord)             (gate)    extract_citations    (fan-out)      check_coverage            │
                                              (chord)                             check_facts               ▼
                                                                                  check_answerability    publish
                                                                                  check_statements × m
                                                                                  (chord)

Builders return signatures and launch nothing. `retrieve`, `select` and `plan_checks` launch what follows them, because
only they know how wide it is; each is the last link of its own canvas. Inside a chord failure is a value, so the
errback is for faults of the machinery. Messages carry ids, never documents.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from celery import Signature, chain, chord

from workers.celery_app import app
from workers.queues import Queue


class Run(NamedTuple):
    """Which start of which query a message belongs to; a message of an older launch is ignored."""

    query_id: str
    launch: int
    round: int


def answering(run: Run) -> Signature[Any]:
    return _task("query.retrieve", Queue.RETRIEVAL, run).on_error(_failing(run))


def scoring(run: Run, batches: Sequence[Sequence[str]]) -> Signature[Any]:
    scores = [_task("query.score_chunks", Queue.RERANKING, run, list(batch)) for batch in batches]
    return _fan_in(run, scores, _task("query.select", Queue.RERANKING, run))


def drafting(run: Run) -> Signature[Any]:
    drafts = [
        _task("query.generate", Queue.GENERATION, run),
        _task("query.extract_citations", Queue.CITATIONS, run),
    ]
    return _fan_in(run, drafts, _task("query.plan_checks", Queue.VERIFICATION, run))


def checking(run: Run, batches: Sequence[Sequence[str]]) -> Signature[Any]:
    whole = ["query.check_alignment", "query.check_coverage", "query.check_facts", "query.check_answerability"]
    checks = [_task(name, Queue.VERIFICATION, run) for name in whole]
    checks += [_task("query.check_statements", Queue.VERIFICATION, run, list(batch)) for batch in batches]
    return _fan_in(run, checks, _conclusion(run))


def concluding(run: Run) -> Signature[Any]:
    return _fan_in(run, [], _conclusion(run))


def _conclusion(run: Run) -> Signature[Any]:
    return chain(*(_task(name, Queue.VERIFICATION, run) for name in ("query.conclude", "query.publish")))


def _fan_in(run: Run, header: list[Signature[Any]], body: Signature[Any]) -> Signature[Any]:
    body = body.on_error(_failing(run))
    return chord(header, body) if header else body


def _failing(run: Run) -> Signature[Any]:
    return _task("query.fail", Queue.MAINTENANCE, run)


def _task(name: str, queue: Queue, run: Run, *args: object) -> Signature[Any]:
    return app.signature(name, args=(*run, *args), immutable=True, queue=queue.value, ignore_result=True)
