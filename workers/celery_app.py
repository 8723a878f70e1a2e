"""The Celery application. Names of settings are Celery's own; each unusual value says why."""

from celery import Celery
from kombu import Queue as KombuQueue

from config.settings import settings
from workers.queues import Queue

app = Celery("citewell", include=["workers.tasks", "workers.lifecycle"])
app.conf.update(
    broker_url=settings().redis_url.get_secret_value(),
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
    worker_send_task_events=False,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        # Longer than any step may take (models.deadline_s twice over): a message still worked on is never given to
        # a second worker. What a dead process held is started again much earlier, by the reconciler.
        "visibility_timeout": 600,
        # The defaults sweep only about every 100 s.
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,
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
