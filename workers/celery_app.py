"""The Celery application. Names of settings are Celery's own; each unusual value says why."""

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
    broker_transport="workers.transport:Transport",
    # Only chords need results: their counters. Every task ignores its own result.
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
    # A message counts as done when its work is done; a child that dies gives its message back.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    # Leave it off: measured, it loses the running task when the result backend is Redis as well.
    worker_cancel_long_running_tasks_on_connection_loss=False,
    # With more, one process hoards messages that another could work on.
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    # Nobody commands workers through the broker: who lives says so in Postgres (workers.presence). Who runs Flower may
    # have both; they cost two thirds more of a message.
    worker_send_task_events=settings().workers.events,
    task_send_sent_event=settings().workers.events,
    worker_enable_remote_control=settings().workers.events,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        # Nothing is sent with a priority: look into one list per queue instead of four.
        "priority_steps": [0],
        "socket_timeout": 5,
        "socket_connect_timeout": 2,
        # Publishing gives up at once when the broker is away: the reconciler starts what was accepted. Consumers have
        # their own, endless patience (broker_connection_max_retries).
        "max_retries": 1,
        "interval_start": 0.1,
        "interval_step": 0.1,
        "interval_max": 0.2,
    },
)
app.set_default()


@before_task_publish.connect
def _dated(headers: dict[str, Any], **_: Any) -> None:
    # So that the age of what waits can be told without asking whoever sent it.
    headers[PUBLISHED] = time.time()
