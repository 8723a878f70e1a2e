"""Starts waiting work: publishes its first messages after the commit, in a thread that is told when work may be
waiting.

Postgres holds the queue of waiting queries; Redis carries the steps of admitted ones. Publishing has a time limit and
may fail: the row shows that the work is unfinished, and it is started again (workers.background.reconciler).

Requests and steps only wake the launcher's thread, so they never wait for the broker. It admits work of all tenants,
and retries with growing pauses while the broker or the database is unreachable. If the process dies, the reconciler
starts the work.
"""

import threading
import uuid
from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import cache
from typing import Any

import structlog
from celery import Signature
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from citewell_verify.errors import CitewellError
from config.settings import settings
from db.models import QueryKind
from db.queries.admission import admission, documents
from db.queries.admission.admission import Admitted
from db.queries.documents import graph_jobs
from db.queries.runs import queries
from db.session import acting_for, current_tenant, reserved_connection, system_transaction, transaction
from domain.query.options import QueryOptions
from services.finishing.completion import set_end_listener
from workers.celery_app import app
from workers.pipeline import Run, start_canvas, verification_canvas
from workers.processes.runtime import Periodic
from workers.queues import Queue

BATCH_IN_FLIGHT = 8
"""The number of items of one batch of verifications that run at a time."""
_GRAPHS_AT_A_TIME = 2

log = structlog.get_logger()


class NotPublished(CitewellError):
    """The broker could not be reached; the work waits to be started again."""


class Unreadable(Exception):
    """This version of the program cannot read the query's options, for example one of a newer version."""


def launch_waiting() -> int:
    """Start the queries of all tenants that may run now (A7); return their number. Raises NotPublished.

    Called whenever a query was accepted or has ended. A missed call is harmless: the reconciler repeats it.
    """
    started, limits = 0, settings()
    while True:
        with system_transaction() as session:
            admitted = admission.admit_queries(
                session,
                per_process=limits.admission.in_flight_per_process,
                of_batch=BATCH_IN_FLIGHT,
            )
        for place, query in enumerate(admitted):
            try:
                is_published = _publish_start(query)
            except Unreadable:
                # The query stays launched: a reconciler, perhaps of a newer version, restarts it or gives it up.
                log.exception("query_unreadable", query_id=str(query.query_id))
                continue
            if not is_published:
                _unlaunch(admitted[place:])
                raise NotPublished
        started += len(admitted)
        if len(admitted) < admission.AT_A_TIME:
            return started


def _publish_start(query: Admitted) -> bool:
    run = Run(str(query.query_id), query.launch, query.round, query.tenant_id)
    try:
        options = QueryOptions(**query.options)
    except (TypeError, ValueError) as error:
        raise Unreadable(str(query.query_id)) from error
    is_given = query.kind == QueryKind.VERIFICATION
    return _published(lambda: verification_canvas(run) if is_given else start_canvas(run, options), query.query_id)


def _unlaunch(admitted: Sequence[Admitted]) -> None:
    with system_transaction() as session:
        for query in admitted:
            queries.unlaunch(session, query.query_id, query.launch)


def launch_documents() -> int:
    """Start the ingestion of the documents of all tenants that may be read now; return their number. Raises
    NotPublished.

    Few documents at a time, so that no tenant's documents wait for all those of another (A7).
    """
    with system_transaction() as session:
        admitted = documents.admit_documents(session, older_than_s=settings().recovery.lease_s)
    for place, (document_id, tenant_id) in enumerate(admitted):
        with acting_for(tenant_id):
            published = _launch("document.ingest", Queue.INGESTION, document_id)
        if not published:
            with system_transaction() as session:
                documents.unlaunch_documents(session, [waiting for waiting, _ in admitted[place:]])
            raise NotPublished
    return len(admitted)


def relaunch_query(query_id: uuid.UUID, seen_launch: int) -> bool:
    """Restart a query from its first unfinished step, unless it was restarted since `seen_launch` was read.

    False when the broker is unreachable. Raises Unreadable.
    """
    with transaction() as session:
        launch = queries.mark_launched(session, query_id, seen_launch)
        query = queries.get_query(session, query_id)
    if launch is None:
        return True
    admitted = Admitted(query_id, launch, current_tenant(), query.round, query.kind, query.options)
    if _publish_start(admitted):
        return True
    _unlaunch([admitted])
    return False


def launch_import(import_id: uuid.UUID) -> bool:
    return _launch("import.unpack", Queue.INGESTION, import_id)


def launch_graphs(older_than_s: float | None = None) -> int:
    """Start as many waiting graphs, of all tenants, as may be built concurrently; return their number.

    Called whenever a graph is queued or finished. A missed call is harmless: the reconciler repeats it for graphs of
    `older_than_s`. Starting a graph twice is harmless, too: only one worker can claim it.
    """
    if settings().graph_extractor == "off":
        return 0
    with system_transaction() as session:
        waiting = graph_jobs.list_waiting_graphs(session, _GRAPHS_AT_A_TIME, older_than_s)
    started = 0
    for document_id, tenant_id in waiting:
        with acting_for(tenant_id):
            started += _launch("document.graph", Queue.GRAPH, document_id)
    return started


def launch_source(source_id: uuid.UUID) -> bool:
    """Have a worker look at a source of documents; False when the broker is unreachable."""
    return _launch("source.run", Queue.WEBHOOKS, source_id)


def launch_delivery(delivery_id: uuid.UUID) -> bool:
    return _launch("webhook.deliver", Queue.WEBHOOKS, delivery_id)


def _launch(name: str, queue: Queue, row_id: uuid.UUID) -> bool:
    args = (str(row_id), current_tenant())
    return _published(lambda: app.signature(name, args=args, queue=queue.value, ignore_result=True), row_id)


def _published(make: Callable[[], Signature[Any]], row_id: uuid.UUID) -> bool:
    try:
        make().apply_async(retry=False)
    except (OperationalError, RedisError, OSError) as error:
        log.warning("not_published", id=str(row_id), error=type(error).__name__)
        return False
    return True


_RETRY_S = (0.1, 3.0)
_MAX_HINTS = 1_000


class Launcher:
    """Starts waiting work; there is one launcher per process. Before `start` it ignores all calls, so that processes
    without a launcher start no work."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wanted: dict[object, Callable[[], object]] = {}
        self._launching = Periodic("launcher", None, self._run_wanted, failed="launch_failed", retry_s=_RETRY_S)

    def start(self) -> None:
        """Start, also again after `stop`, and check for waiting queries; every query that ends in this process wakes
        it."""
        self._launching.start()
        set_end_listener(self.queries)
        self.queries()

    def stop(self) -> None:
        set_end_listener(None)
        self._launching.stop()

    def queries(self) -> None:
        self._want("queries", launch_waiting)

    def documents(self) -> None:
        self._want("documents", launch_documents)

    def hint(self, launch: Callable[[uuid.UUID], bool], row_id: uuid.UUID) -> None:
        """Call `launch` with `row_id`, for the current tenant, until it returns True."""
        context = copy_context()

        def publish() -> None:
            if not context.run(launch, row_id):
                raise NotPublished

        self._want((launch, row_id), publish)

    def _want(self, key: object, work: Callable[[], object]) -> None:
        if not self._launching.is_running:
            return
        with self._lock:
            if len(self._wanted) < _MAX_HINTS:
                self._wanted.setdefault(key, work)
        self._launching.wake()

    def _run_wanted(self) -> None:
        while (wanted := self._next()) is not None:
            key, work = wanted
            try:
                with reserved_connection():
                    work()
            except Exception:
                self._want(key, work)
                raise

    def _next(self) -> tuple[object, Callable[[], object]] | None:
        with self._lock:
            if not self._wanted or not self._launching.is_running:
                return None
            key = next(iter(self._wanted))
            return key, self._wanted.pop(key)


@cache
def launcher() -> Launcher:
    return Launcher()
