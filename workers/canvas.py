"""Builds Celery canvases, for steps on queues of other processes and for fan-outs too wide to run in place
(workers.execution.inline). Builders return signatures and launch nothing.

Inside a chord a failure is a value. There are no errbacks: a step that breaks ends its query itself
(workers.execution.result_storage), and what only the broker broke is restarted. Messages carry ids, never documents.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from celery import Signature, chain, chord

from workers.celery_app import app
from workers.queues import Queue


class Run(NamedTuple):
    """The launch of a query that a message belongs to; messages of an older launch are ignored.

    Steps act for `tenant`: with another tenant's id in the message the query is not found.
    """

    query_id: str
    launch: int
    round: int
    tenant: int


def task(name: str, queue: Queue, run: Run, items: Sequence[str] | None = None) -> Signature[Any]:
    args = run if items is None else (*run, list(items))
    return app.signature(f"query.{name}", args=args, immutable=True, queue=queue.value, ignore_result=True)


def in_order(links: Sequence[Signature[Any]]) -> Signature[Any]:
    return chain(*links)


def fan_in(header: Sequence[Signature[Any]], body: Signature[Any]) -> Signature[Any]:
    if len(header) > 1:
        return chord(header, body)
    return in_order([*header, body])
