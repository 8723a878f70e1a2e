"""What worker processes do when they start, and what they can start without."""

from types import SimpleNamespace

import pytest
import structlog
from sqlalchemy import make_url

from citewell_verify.embeddings.wheel import UseEmbedder
from config.settings import settings
from db.session import dispose
from workers import lifecycle
from workers.queues import Queue


class Worker:
    """A Celery worker; a prefork parent loads the model first."""

    pool_cls = "prefork"

    def __init__(self, queues: set[Queue]) -> None:
        consumed = SimpleNamespace(consume_from=[queue.value for queue in queues])
        self.app = SimpleNamespace(amqp=SimpleNamespace(queues=consumed))


@pytest.mark.parametrize(
    ("queues", "key", "loads"),
    [
        ({Queue.RETRIEVAL}, "gsk_test", True),
        ({Queue.INGESTION}, "gsk_test", True),
        # Without a key the offline model compares meanings.
        ({Queue.VERIFICATION, Queue.MAINTENANCE}, "", True),
        ({Queue.VERIFICATION, Queue.MAINTENANCE}, "gsk_test", False),
        ({Queue.WEBHOOKS}, "", False),
        ({Queue.MAINTENANCE}, "", False),
    ],
)
def test_only_who_uses_the_model_loads_it(
    database: str, monkeypatch: pytest.MonkeyPatch, queues: set[Queue], key: str, loads: bool
) -> None:  # A1
    # 150 MB and two seconds.
    assert database
    monkeypatch.setenv("GROQ_API_KEY", key)
    loaded: list[UseEmbedder] = []

    def load(embedder: UseEmbedder) -> None:
        loaded.append(embedder)

    monkeypatch.setattr(UseEmbedder, "warm", load)
    lifecycle.worker_init.send(sender=Worker(queues))
    assert len(loaded) == loads


def test_a_worker_does_not_start_on_an_older_schema(database: str, monkeypatch: pytest.MonkeyPatch) -> None:  # A5
    never_migrated = make_url(database).set(database="template1").render_as_string(hide_password=False)
    monkeypatch.setenv("CITEWELL_DATABASE_URL", never_migrated)
    settings.cache_clear()
    dispose()
    with structlog.testing.capture_logs() as logs, pytest.raises(SystemExit) as caught:
        lifecycle.worker_init.send(sender=Worker({Queue.WEBHOOKS}))
    assert caught.value.code == 2
    assert "alembic upgrade head" in logs[0]["error"]
