"""What happens when a worker process starts: logging, warm models, and the reconciler where maintenance is served."""

import threading
from typing import Any

from celery.apps.worker import Worker
from celery.signals import setup_logging, worker_process_init, worker_ready

from config.logging import configure_logging
from config.settings import settings
from db.session import dispose
from workers.queues import Queue
from workers.reconciler import start_reconciler
from workers.runtime import tools


@setup_logging.connect
def _own_logging(**_: Any) -> None:
    # Connecting a receiver keeps Celery from installing its own handlers.
    configure_logging(settings().log_level, "worker")


@worker_process_init.connect
def _after_fork(**_: Any) -> None:
    dispose()
    _warm()


@worker_ready.connect
def _when_ready(sender: Any, **_: Any) -> None:
    consumer_queues = {str(queue.name) for queue in sender.task_consumer.queues}
    if Queue.MAINTENANCE in consumer_queues:
        start_reconciler()
    worker: Worker = sender.controller
    if worker.pool_cls.__module__.endswith("thread"):
        _warm()


def _warm() -> None:
    # The first question should not pay for loading the embedding model; loading beside the first task is harmless.
    threading.Thread(target=tools().embedder.warm, name="warm", daemon=True).start()
