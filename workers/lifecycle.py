"""What happens when a worker process starts: logs, a warm embedder, and the reconciler where maintenance is served."""

import logging
import threading
from typing import Any

from celery.signals import setup_logging, worker_init, worker_process_init, worker_ready

from clients.embeddings import default_embedder
from config.logging import configure_logging
from config.settings import settings
from db.session import dispose
from workers.queues import Queue
from workers.reconciler import start_reconciler

COMPUTING = {Queue.RETRIEVAL, Queue.INGESTION}


@setup_logging.connect
def _own_logging(**_: Any) -> None:
    # Connecting a receiver keeps Celery from installing its own handlers.
    current = settings()
    configure_logging(current.log_level, "worker", current.log_format)
    # Whoever started this process waits for the line that says it is ready, however quiet the logs are to be.
    logging.getLogger("celery.apps.worker").setLevel(logging.INFO)


@worker_init.connect
def _before_the_pool(sender: Any, **_: Any) -> None:
    # The first question should not pay for loading the embedding model. A prefork parent loads it before it forks, so
    # that its children share the memory; elsewhere it loads beside the first tasks.
    queues = {Queue(name) for name in sender.app.amqp.queues.consume_from}
    if not (queues & COMPUTING or settings().provider == "offline"):
        return
    if _forks(sender):
        default_embedder().warm()
    else:
        threading.Thread(target=default_embedder().warm, name="warm", daemon=True).start()


@worker_process_init.connect
def _after_fork(**_: Any) -> None:
    dispose()


@worker_ready.connect
def _when_ready(sender: Any, **_: Any) -> None:
    if Queue.MAINTENANCE in sender.app.amqp.queues.consume_from:
        start_reconciler()


def _forks(worker: Any) -> bool:
    return "prefork" in str(worker.pool_cls)
