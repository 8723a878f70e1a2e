"""The Celery application and its settings."""

import time
from typing import Any

from celery import Celery
from celery.signals import before_task_publish
from kombu import Queue as KombuQueue

from clients.broker import PUBLISHED
from config.settings import settings
from workers.queues import Queue

app = Celery("citewell", include=["workers.tasks", "workers.lifecycle"])
app.conf.update(
    broker_url=settings().redis_url.get_secret_value(),
    broker_transport="workers.processes.transport:Transport",
    # Only chords need results, for their counters. Every task ignores its own result.
    result_backend=settings().redis_url.get_secret_value(),
    result_expires=3600,
    result_backend_transport_options={"socket_timeout": 5, "socket_connect_timeout": 2},
    redis_socket_timeout=5,
    redis_socket_connect_timeout=2,
    task_ignore_result=True,
    task_serializer="json",
    result_serializer="json",
    accept_content=["json"],
    task_queues=[KombuQueue(queue.value) for queue in Queue],
    task_create_missing_queues=False,
    # A message is acknowledged when its work is done; if a child dies, the message goes back.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    # Keep this off: in measurements it lost the running task when the result backend was Redis as well.
    worker_cancel_long_running_tasks_on_connection_loss=False,
    # With more, one process would hold messages that another could process.
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    # Workers answer `inspect` and `control`, and send task events after `control enable_events`, which Flower sends.
    # Events of every process from the start would make a message cost two thirds more.
    worker_send_task_events=settings().workers.events,
    task_send_sent_event=settings().workers.events,
    worker_enable_remote_control=True,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        # No message has a priority, so one list per queue is read instead of four.
        "priority_steps": [0],
        "socket_timeout": 5,
        "socket_connect_timeout": 2,
        # Publishing gives up at once when the broker is unreachable: the reconciler starts accepted work. Consumers
        # retry endlessly by their own setting (broker_connection_max_retries).
        "max_retries": 1,
        "interval_start": 0.1,
        "interval_step": 0.1,
        "interval_max": 0.2,
    },
)
app.set_default()


@before_task_publish.connect
def _add_publishing_time(headers: dict[str, Any], **_: Any) -> None:
    """Record when a message is sent, so that the age of waiting messages can be read without asking their sender."""
    headers[PUBLISHED] = time.time()
