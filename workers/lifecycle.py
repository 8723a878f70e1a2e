"""What happens when a worker process starts: logs, a warm embedder, and what looks for work.

The reconciler runs where maintenance is served, the dispatcher where webhooks are.
"""

import logging
import sys
import threading
from typing import Any

import structlog
from celery.signals import setup_logging, worker_init, worker_process_init, worker_ready

from clients.embeddings import default_embedder
from clients.llm.neural import open_classifier
from clients.reranking import make_reranker
from config.logging import configure_logging
from config.settings import ConfigurationInvalid, settings
from db.session import dispose
from workers.dispatcher import start_dispatcher
from workers.queues import Queue
from workers.reconciler import start_reconciler

log = structlog.get_logger()

COMPUTING = {Queue.RETRIEVAL, Queue.INGESTION}


@setup_logging.connect
def _own_logging(**_: Any) -> None:
    # Connecting a receiver keeps Celery from installing its own handlers.
    current = settings()
    configure_logging(current.log_level, "worker", current.log_format)
    # Whoever started this process waits for the line that says it is ready, however quiet the logs are to be.
    logging.getLogger("celery.apps.worker").setLevel(logging.INFO)


@worker_init.connect
def _with_a_judge_and_a_reranker_that_can_be_used(**_: Any) -> None:
    # Better no worker than one whose every check fails for a reason that only its log tells.
    models = settings().models
    try:
        if models.judge:
            open_classifier(models.judge, models.judge_label, download=models.judge_download)
        make_reranker(settings().rerank)
    except ConfigurationInvalid as error:
        log.critical("configuration", error=str(error))
        sys.exit(2)


@worker_init.connect
def _before_the_pool(sender: Any, **_: Any) -> None:
    # The first question should not pay for loading the embedding model. A prefork parent loads it before it forks, so
    # that its children share the memory; elsewhere it loads beside the first tasks.
    queues = {Queue(name) for name in sender.app.amqp.queues.consume_from}
    embeds = queues & COMPUTING and settings().embeddings.provider == "wheel"
    if not (embeds or settings().provider == "offline"):
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
    queues = sender.app.amqp.queues.consume_from
    if Queue.MAINTENANCE in queues:
        start_reconciler()
    if Queue.WEBHOOKS in queues:
        start_dispatcher()


def _forks(worker: Any) -> bool:
    return "prefork" in str(worker.pool_cls)
