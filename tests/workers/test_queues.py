"""Every queue has a consumer in the embedded form; tests/deploy checks the distributed ones."""

from config.settings import settings
from workers.celery_app import app
from workers.queues import Queue


def test_embedded_pools_consume_exactly_the_declared_queues() -> None:  # A1
    consumed = [queue for pool in settings().pools.values() for queue in pool.queues]
    assert sorted(consumed) == sorted(queue.value for queue in Queue)


def test_the_application_knows_no_other_queue() -> None:
    assert {queue.name for queue in app.conf.task_queues} == {queue.value for queue in Queue}
    assert app.conf.task_create_missing_queues is False


def test_only_json_is_accepted() -> None:  # A8
    assert app.conf.accept_content == ["json"]
    assert (app.conf.task_serializer, app.conf.result_serializer) == ("json", "json")
