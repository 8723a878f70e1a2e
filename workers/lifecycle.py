"""Sets up and tears down a worker process: logs, embedding model, background threads, heartbeat, metrics.

The reconciler runs in workers of the maintenance queue, the dispatcher in workers of the webhooks queue.
"""

import logging
import os
import signal
import sys
import threading
from collections.abc import Iterable, Set
from types import FrameType
from typing import Any

import structlog
from celery.signals import (
    setup_logging,
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)

from citewell_verify.embeddings.wheel import default_embedder
from clients.llm.neural import open_classifier
from clients.reranking import make_reranker
from clients.telemetry.tracing import start_tracing, stop_tracing
from config.logging import configure_logging
from config.settings import ConfigurationInvalid, settings
from db.migrate import schema_state
from db.queries.admission.admission import is_at_capacity
from db.session import dispose, system_transaction
from domain.errors.service import DatabaseUnavailable
from workers.background.due_work import start_dispatcher, start_revalidation
from workers.background.heartbeat import Heartbeat, WatchedLoop, reporter, start_liveness_file
from workers.background.reconciler import start_reconciler
from workers.celery_app import app
from workers.execution.claims import held_claims, start_draining
from workers.execution.executor import show_to
from workers.execution.work import serve
from workers.processes.capacity import Capacity
from workers.processes.runtime import collect_new_objects_only, event_loop, leases, worker_name, worker_prefix
from workers.processes.watchdog import start_watchdog, watch_loop
from workers.queues import Queue
from workers.starting.launch import launcher

log = structlog.get_logger()

COMPUTING = {Queue.RETRIEVAL, Queue.INGESTION}
WITHOUT_MODEL = {Queue.MAINTENANCE, Queue.WEBHOOKS}

_VERBOSE_LOGGERS = ("celery.worker.strategy", "celery.app.trace")

_heartbeats: list[Heartbeat] = []

app.steps["consumer"].add(WatchedLoop)


@setup_logging.connect
def _configure_logging(**_: Any) -> None:
    """Configure the logs; a connected receiver keeps Celery from installing its own handlers."""
    current = settings()
    configure_logging(current.log_level, "worker", current.log_format)
    # Supervisors wait for the line that reports readiness, whatever the log level.
    logging.getLogger("celery.apps.worker").setLevel(logging.INFO)
    if current.log_level == "INFO":
        # These loggers write two lines per message that only name the task; the history has every step with its time.
        for name in _VERBOSE_LOGGERS:
            logging.getLogger(name).setLevel(logging.WARNING)


@worker_init.connect
def _check_models(**_: Any) -> None:
    """Exit if a model cannot be loaded: otherwise every check would fail for a reason that only the log shows."""
    models = settings().models
    try:
        if models.judge:
            open_classifier(models.judge, models.judge_label, download=models.judge_download)
        make_reranker(settings().rerank)
    except ConfigurationInvalid as error:
        log.critical("configuration", error=str(error))
        sys.exit(2)


@worker_init.connect
def _check_schema(**_: Any) -> None:
    """Exit if the schema is older than the program, because every step would fail. An unreachable database is no reason
    to exit: the worker waits for it."""
    try:
        with system_transaction() as session:
            is_outdated = schema_state(session) == "outdated"
    except DatabaseUnavailable:
        return
    finally:
        dispose()  # before the pool forks
    if is_outdated:
        log.critical("schema", error="The database's schema is older than this program; run `alembic upgrade head`.")
        sys.exit(2)


@worker_init.connect
def _load_embedder(sender: Any, **_: Any) -> None:
    """Load the embedding model, so that the first question need not wait for it. A prefork parent loads it before it
    forks, so that the children share its memory; other pools load it in parallel to the first tasks."""
    queues = {Queue(name) for name in sender.app.amqp.queues.consume_from}
    if not uses_own_embedder(queues):
        return
    if _forks(sender):
        default_embedder().warm()
    else:
        threading.Thread(target=default_embedder().warm, name="warm", daemon=True).start()


def uses_own_embedder(queues: Set[Queue]) -> bool:
    embeds = queues & COMPUTING and settings().embeddings.provider == "wheel"
    return bool(embeds or (settings().judges_offline and queues - WITHOUT_MODEL))


@worker_init.connect
def _name_worker(**_: Any) -> None:
    worker_prefix()


@worker_init.connect
def _delete_old_liveness_file(**_: Any) -> None:
    if file := settings().pulse_file:
        file.unlink(missing_ok=True)


@worker_init.connect
def _serve_queues(sender: Any, **_: Any) -> None:
    serve(sender.app.amqp.queues.consume_from)


_NICE = 5
"""The priority of processes that read documents, below that of questions, for which people wait."""
REST_S = 60.0
"""A child that has read documents ends after this time without another. With its connections it has grown by some 60
MB, and the child that is forked in its place begins without them. A document that comes just then waits up to five
seconds for that child, since the pool looks for ended children at intervals."""


@worker_process_init.connect
def _on_child_start(**_: Any) -> None:
    os.nice(_NICE)
    dispose()
    reset_after_fork()
    launcher().start()
    reporter().start()
    start_tracing(settings().tracing, "worker")
    signal.signal(signal.SIGALRM, _end_child)
    task_prerun.connect(_on_task_of_child)
    task_postrun.connect(_on_rest_of_child)


def _on_task_of_child(**_: Any) -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)


def _on_rest_of_child(**_: Any) -> None:
    signal.setitimer(signal.ITIMER_REAL, REST_S)


def _end_child(*_: object) -> None:
    """Called in a signal handler while the child waits for a task. The pool forks another child, which also gets a task
    that was on its way to this one."""
    raise SystemExit


def reset_after_fork() -> None:
    """Drop objects that own a thread, which does not survive a fork, or that contain the parent's name.

    Models and embedder stay: the parent loads them so that its children share the memory.
    """
    for made in (launcher, reporter, worker_name, event_loop, leases, held_claims):
        made.cache_clear()


@worker_process_shutdown.connect
def _on_child_end(**_: Any) -> None:
    _stop_telemetry()


def _stop_telemetry() -> None:
    reporter().stop()
    stop_tracing()


@worker_ready.connect
def _on_ready(sender: Any, **_: Any) -> None:
    _drain_on_sigquit(sender.controller)
    show_to(sender)
    queues = sender.app.amqp.queues.consume_from
    heartbeat = Heartbeat(list(queues), sender.controller.concurrency, capacity=_capacity(sender.controller, queues))
    heartbeat.start()
    _heartbeats.append(heartbeat)
    if file := settings().pulse_file:
        start_liveness_file(file)
    if not _forks(sender.controller):
        collect_new_objects_only()
        start_watchdog()
        watch_loop(event_loop())
        launcher().start()
        start_tracing(settings().tracing, "worker")
    reporter().start()
    if Queue.MAINTENANCE in queues:
        start_reconciler()
        start_revalidation()
    if Queue.WEBHOOKS in queues:
        start_dispatcher()


def _capacity(worker: Any, queues: Iterable[str]) -> Capacity | None:
    """Return the capacity of this process, if queries are started for it. None otherwise, and for a prefork pool,
    because the load of its children is not measured."""
    if Queue.VERIFICATION not in queues or _forks(worker):
        return None
    most = settings().admission.in_flight_per_process

    def is_full() -> bool:
        with system_transaction() as session:
            return is_at_capacity(session, per_process=most)

    return Capacity(most, is_full)


@worker_shutting_down.connect
def _on_shutdown_signal(how: str, **_: Any) -> None:
    """Called in a signal handler: from now on the worker takes no more work, however long its last step takes."""
    for heartbeat in _heartbeats:
        heartbeat.leave()
    start_draining(wait=how == "Warm")


@worker_shutdown.connect
def _on_shutdown(**_: Any) -> None:
    for heartbeat in _heartbeats:
        heartbeat.join()
    _stop_telemetry()


def _drain_on_sigquit(worker: Any) -> None:
    """Hand back all claims before a cold shutdown. Celery has no cold shutdown for threads: there SIGQUIT acts as a
    SIGTERM that does not wait."""
    cold = signal.getsignal(signal.SIGQUIT)

    def quit_(number: int, frame: FrameType | None) -> None:
        start_draining(wait=False)
        if _forks(worker) and callable(cold):
            cold(number, frame)
        else:
            signal.raise_signal(signal.SIGTERM)

    signal.signal(signal.SIGQUIT, quit_)


def _forks(worker: Any) -> bool:
    return "prefork" in str(worker.pool_cls)
