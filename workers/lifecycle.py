"""Sets up and tears down a worker process: logs, embedding model, background threads, presence, metrics.

The reconciler runs where maintenance is served, the dispatcher where webhooks are.
"""

import gc
import logging
import signal
import sys
import threading
from collections.abc import Iterable, Set
from types import FrameType
from typing import Any

import structlog
from celery.signals import (
    setup_logging,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)

from clients.embeddings import default_embedder
from clients.llm.neural import open_classifier
from clients.reranking import make_reranker
from clients.telemetry.tracing import start_tracing, stop_tracing
from config.logging import configure_logging
from config.settings import ConfigurationInvalid, settings
from db.migrate import schema_state
from db.queries.admission.admission import is_at_capacity
from db.session import dispose, system_transaction
from domain.errors import DatabaseUnavailable
from workers.background.due_work import start_dispatcher, start_standing
from workers.background.heartbeat import Presence
from workers.background.liveness_file import WatchedLoop, start_pulse
from workers.background.metrics_flush import reporter
from workers.background.reconciler import start_reconciler
from workers.celery_app import app
from workers.execution.claims import held_claims
from workers.execution.inline import serve
from workers.execution.shutdown import start_draining
from workers.processes.capacity import Room
from workers.processes.runtime import event_loop, leases, worker_name, worker_prefix
from workers.processes.watchdog import start_watchdog, watch_loop
from workers.queues import Queue
from workers.starting.launch_thread import launcher

log = structlog.get_logger()

COMPUTING = {Queue.RETRIEVAL, Queue.INGESTION}
ASKING_NO_MODEL = {Queue.MAINTENANCE, Queue.WEBHOOKS}

_GARBAGE_AFTER = 10_000
"""Threshold of garbage collection: container objects allocated and not freed."""
_TALKATIVE = ("celery.worker.strategy", "celery.app.trace")

_presences: list[Presence] = []

app.steps["consumer"].add(WatchedLoop)


@setup_logging.connect
def _own_logging(**_: Any) -> None:
    # Connecting a receiver keeps Celery from installing its own handlers.
    current = settings()
    configure_logging(current.log_level, "worker", current.log_format)
    # Supervisors wait for the line that says the worker is ready, whatever the log level.
    logging.getLogger("celery.apps.worker").setLevel(logging.INFO)
    if current.log_level == "INFO":
        # Two lines per message that only name the task; the history has every step with its time.
        for name in _TALKATIVE:
            logging.getLogger(name).setLevel(logging.WARNING)


@worker_init.connect
def _with_a_judge_and_a_reranker_that_can_be_used(**_: Any) -> None:
    # Better no worker than one whose every check fails for a reason that only its log shows.
    models = settings().models
    try:
        if models.judge:
            open_classifier(models.judge, models.judge_label, download=models.judge_download)
        make_reranker(settings().rerank)
    except ConfigurationInvalid as error:
        log.critical("configuration", error=str(error))
        sys.exit(2)


@worker_init.connect
def _on_a_database_that_has_what_it_needs(**_: Any) -> None:
    # Better no worker than one whose every step fails. Without a database it starts, because it waits for it anyway.
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
def _before_the_pool(sender: Any, **_: Any) -> None:
    # The first question should not wait for the embedding model to load. A prefork parent loads it before it forks, so
    # that its children share the memory; elsewhere it loads beside the first tasks.
    queues = {Queue(name) for name in sender.app.amqp.queues.consume_from}
    if not uses_own_embedder(queues):
        return
    if _forks(sender):
        default_embedder().warm()
    else:
        threading.Thread(target=default_embedder().warm, name="warm", daemon=True).start()


def uses_own_embedder(queues: Set[Queue]) -> bool:
    """Whether a worker of these queues needs the embedding model that comes with the program."""
    embeds = queues & COMPUTING and settings().embeddings.provider == "wheel"
    return bool(embeds or (settings().provider == "offline" and queues - ASKING_NO_MODEL))


@worker_init.connect
def _with_a_name_of_its_own(**_: Any) -> None:
    worker_prefix()


@worker_init.connect
def _without_the_pulse_of_an_earlier_life(**_: Any) -> None:
    if file := settings().pulse_file:
        file.unlink(missing_ok=True)


@worker_init.connect
def _with_its_queues_known(sender: Any, **_: Any) -> None:
    serve(sender.app.amqp.queues.consume_from)


@worker_process_init.connect
def _after_fork(**_: Any) -> None:
    dispose()
    forget_the_parent()
    launcher().start()
    _tell_of_itself()


def forget_the_parent() -> None:
    """After a fork, drop objects with a thread, which does not survive it, or with the parent's name.

    Models and embedder stay: a parent loads them so that its children share the memory.
    """
    for made in (launcher, reporter, worker_name, event_loop, leases, held_claims):
        made.cache_clear()


@worker_process_shutdown.connect
def _before_a_child_ends(**_: Any) -> None:
    _say_the_rest()


def _tell_of_itself() -> None:
    reporter().start()
    start_tracing(settings().tracing, "worker")


def _say_the_rest() -> None:
    reporter().stop()
    stop_tracing()


@worker_ready.connect
def _when_ready(sender: Any, **_: Any) -> None:
    _drain_on_sigquit(sender.controller)
    queues = sender.app.amqp.queues.consume_from
    presence = Presence(list(queues), sender.controller.concurrency, room=_room(sender.controller, queues))
    presence.start()
    _presences.append(presence)
    if file := settings().pulse_file:
        start_pulse(file)
    if not _forks(sender.controller):
        _look_for_garbage_less_often()
        start_watchdog()
        watch_loop(event_loop())
        launcher().start()
        start_tracing(settings().tracing, "worker")
    reporter().start()
    if Queue.MAINTENANCE in queues:
        start_reconciler()
        start_standing()
    if Queue.WEBHOOKS in queues:
        start_dispatcher()


def _look_for_garbage_less_often() -> None:
    # What is loaded by now stays: scanning it again and again takes a fifth of a worker's CPU time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GARBAGE_AFTER)


def _room(worker: Any, queues: Iterable[str]) -> Room | None:
    """The number of queries that this process can take at a time, if queries are started for it. None otherwise, and
    for a prefork pool, because the capacity of its children is not measured."""
    if Queue.VERIFICATION not in queues or _forks(worker):
        return None
    most = settings().admission.in_flight_per_process

    def is_full() -> bool:
        with system_transaction() as session:
            return is_at_capacity(session, per_process=most)

    return Room(most, is_full)


@worker_shutting_down.connect
def _when_told_to_end(how: str, **_: Any) -> None:
    # In a signal handler. From here on it takes no new work, however long the last step takes.
    for presence in _presences:
        presence.leave()
    start_draining(wait=how == "Warm")


@worker_shutdown.connect
def _when_left(**_: Any) -> None:
    for presence in _presences:
        presence.left()
    _say_the_rest()


def _drain_on_sigquit(worker: Any) -> None:
    """Make a cold shutdown hand back its work first. Celery has none for threads: there SIGQUIT acts as a SIGTERM
    that does not wait."""
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
