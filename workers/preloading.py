"""Loads shared modules and models once, in the process that forks the workers
(citewell.supervisor.processes.forkserver)."""

from importlib import import_module

from sqlalchemy.orm import configure_mappers

from citewell_verify.embeddings.mapped_tables import shared
from citewell_verify.embeddings.wheel import default_embedder
from citewell_verify.text import languages
from config.settings import settings
from db.migrate import head_revision
from db.session import dispose, engine
from workers.celery_app import app
from workers.lifecycle import uses_own_embedder
from workers.queues import Queue

# Celery imports these only when a worker starts.
_LATE = (
    "celery.app.control", "celery.app.log", "celery.apps.worker", "celery.backends.redis", "celery.bin.celery",
    "celery.concurrency.prefork", "celery.worker.autoscale", "celery.worker.components", "celery.worker.consumer",
    "celery.worker.loops", "celery.worker.strategy", "workers.pool", "workers.tasks", "workers.processes.transport",
)  # fmt: skip


def preload() -> None:
    """Import everything that workers run, and load the model of languages, and that of embeddings if a pool needs it.

    Creates no thread, event loop or connection: none of them survives a fork.
    """
    for name in _LATE:
        import_module(name)
    app.finalize()
    configure_mappers()
    # This reads all migrations and caches the result.
    head_revision()
    # The driver is imported with the first pool, which connects on first use.
    engine()
    dispose()
    languages.warm(shared)
    if uses_own_embedder({Queue(name) for pool in settings().pools.values() for name in pool.queues}):
        default_embedder().warm()
