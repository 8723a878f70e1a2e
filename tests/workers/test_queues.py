"""Every queue has a consumer in the embedded form; tests/deploy checks the distributed ones."""

from importlib.metadata import version

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


def test_what_serves_messages_of_older_programs_goes_with_the_next_minor_release() -> None:  # smell 17
    """Then delete `single_check_tasks`, what they run, and the reason "an older program has begun it"."""
    is_over = tuple(map(int, version("citewell").split(".")[:2])) >= (0, 2)
    app.loader.import_default_modules()
    older = {"query.check_facts", "query.check_claims"} & set(app.tasks)
    assert is_over != bool(older)
