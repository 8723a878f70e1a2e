"""What worker processes have in common, loaded once by whoever forks them (citewell.supervisor.forkserver)."""

from importlib import import_module

from sqlalchemy.orm import configure_mappers

from clients.embeddings import default_embedder
from config.settings import settings
from db.schema_version import head_revision
from db.session import dispose, engine
from workers.celery_app import app
from workers.lifecycle import uses_own_embedder
from workers.queues import Queue

# What Celery imports not before a worker starts.
_LATE = (
    "celery.app.control", "celery.app.log", "celery.apps.worker", "celery.backends.redis", "celery.bin.celery",
    "celery.concurrency.prefork", "celery.worker.autoscale", "celery.worker.components", "celery.worker.consumer",
    "celery.worker.loops", "celery.worker.strategy", "workers.pool", "workers.tasks", "workers.transport",
)  # fmt: skip


def preload() -> None:
    """Import all that workers run, and load the model that embeds if any pool has use for it.

    No thread, no event loop and no connection is made: none of them survives a fork.
    """
    for name in _LATE:
        import_module(name)
    app.finalize()
    configure_mappers()
    # Reads all migrations, and remembers.
    head_revision()
    # The driver is imported with the first pool, which connects when it is used.
    engine()
    dispose()
    if uses_own_embedder({Queue(name) for pool in settings().pools.values() for name in pool.queues}):
        default_embedder().warm()
