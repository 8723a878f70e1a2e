"""Messages are held by the process that handles them, and put back by it (A5)."""

import json
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection, Consumer

from workers.celery_app import app
from workers.queues import Queue

QUEUE = Queue.VERIFICATION.value


@contextmanager
def holding(count: int) -> Generator[list[Any]]:
    """A consumer that holds `count` messages unacknowledged; afterwards its channel is closed."""
    held: list[Any] = []
    # Celery's types leave the application's connections open.
    connection: Any = app.connection_for_read()
    assert isinstance(connection, Connection)
    channel: Any
    with connection, connection.channel() as channel:
        queue = next(queue for queue in app.conf.task_queues if queue.name == QUEUE)
        consumer = Consumer(channel, queues=[queue], on_message=held.append, accept=["json"])
        channel.basic_qos(0, count, False)
        consumer.consume()
        while len(held) < count:
            connection.drain_events(timeout=20)
        yield held


def send(*numbers: int) -> None:
    for number in numbers:
        app.signature("query.conclude", args=(str(number), 1, 0, 7), queue=QUEUE, ignore_result=True).apply_async()


def arguments(message: Any) -> str:
    return json.loads(message.body)[0][0]


def test_the_broker_keeps_no_books_of_what_is_worked_on(broker: Any) -> None:  # A5
    send(1, 2)
    with holding(2) as held:
        assert [arguments(message) for message in held] == ["1", "2"]
        assert broker.keys("unacked*") == []
        assert broker.llen(QUEUE) == 0
        for message in held:
            message.ack()
    assert broker.llen(QUEUE) == 0


def test_what_is_unfinished_when_a_worker_ends_comes_before_what_waits_and_is_marked(broker: Any) -> None:  # A5
    send(1, 2, 3)
    with holding(2) as held:
        held[0].ack()
    assert broker.llen(QUEUE) == 2
    with holding(2) as held:
        found = [(arguments(message), bool(message.delivery_info.get("redelivered"))) for message in held]
        assert found == [("2", True), ("3", False)]
        for message in held:
            message.ack()


def test_a_message_that_is_rejected_goes_back_at_once(broker: Any) -> None:  # A5
    send(1)
    with holding(1) as held:
        held[0].reject(requeue=True)
        assert broker.llen(QUEUE) == 1
    assert broker.llen(QUEUE) == 1


def test_what_cannot_be_put_back_is_left_to_the_reconciler_and_written_nowhere(
    broker: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:  # A5, A8
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    send(1)
    try:
        with holding(1):
            broker.config_set("maxmemory", 1)
    finally:
        broker.config_set("maxmemory", 0)
    assert list(tmp_path.iterdir()) == []
    assert broker.llen(QUEUE) == 0
