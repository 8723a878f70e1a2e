"""Steps that run in place, shown as tasks to those who look at the workers: `celery inspect`, task events, Flower.

The message whose work a step is, is a task of Celery itself; what follows it in place would be seen nowhere. Events are
sent only while somebody listens (`celery control enable_events`, as Flower does) or with `workers.events`.
"""

import asyncio
import os
import time
import uuid
from typing import Any

from celery.worker import state as worker_state
from celery.worker.control import inspect_command

from clients.llm.protocol import CallDeferred
from workers.execution.step_run import StepRun
from workers.execution.work import Message

_consumer: Any = None
_active: dict[str, "_ShownStep"] = {}


def show_to(consumer: Any) -> None:
    """From now on show steps to those who look at this worker; `consumer` is Celery's."""
    global _consumer
    _consumer = consumer


def show(step_run: StepRun, message: Message | None) -> None:
    """Show the step until it ends; `message` is the one that it goes on from."""
    if _consumer is not None:
        shown = _ShownStep(step_run, message)
        step_run.end.add_done_callback(shown.end)


class _ShownStep:
    """What Celery's own request shows of a task."""

    def __init__(self, step_run: StepRun, message: Message | None) -> None:
        self._id, self._name = str(uuid.uuid4()), f"query.{step_run.step.name}"
        self._args = [*step_run.claim.run, list(step_run.context.items)]
        self._began, self._parent = time.time(), None if message is None else message.context
        worker_state.total_count[self._name] += 1
        worker_state.all_total_count[0] += 1
        _active[self._id] = self
        if _is_heard():
            root = self._parent and self._parent.root_id
            told = {"args": repr(self._args), "kwargs": "{}", "retries": 0, "eta": None, "expires": None}
            parent = self._parent and self._parent.id
            self._send("task-received", name=self._name, root_id=root, parent_id=parent, **told)
            self._send("task-started")

    def info(self) -> dict[str, Any]:
        return {
            "id": self._id,
            "name": self._name,
            "args": self._args,
            "kwargs": {},
            "type": self._name,
            "hostname": _consumer.hostname,
            "time_start": self._began,
            "acknowledged": True,
            "delivery_info": {"in_place": True, "parent_id": self._parent and self._parent.id},
            "worker_pid": os.getpid(),
        }

    def end(self, ended: "asyncio.Future[Any]") -> None:
        _active.pop(self._id, None)
        if not _is_heard():
            return
        result = asyncio.CancelledError() if ended.cancelled() else ended.result()
        if isinstance(result, CallDeferred):
            self._send("task-retried", exception=repr(result), traceback="")
        elif isinstance(result, BaseException):
            # Messages of errors may quote a document.
            self._send("task-failed", exception=type(result).__name__, traceback="")
        else:
            self._send("task-succeeded", result="None", runtime=time.time() - self._began)

    def _send(self, kind: str, **fields: Any) -> None:
        _consumer.event_dispatcher.send(kind, uuid=self._id, **fields)


def _is_heard() -> bool:
    dispatcher = _consumer.event_dispatcher
    return bool(dispatcher and dispatcher.enabled and (not dispatcher.groups or "task" in dispatcher.groups))


@inspect_command(name="active", alias="dump_active")
def _list_active(state: Any, safe: bool = False, **_: Any) -> list[dict[str, Any]]:
    """List of tasks currently being executed, with the steps that run in place."""
    while True:
        try:
            requests = list(worker_state.active_requests)
        except RuntimeError:  # The loop has taken or ended a message meanwhile.
            continue
        return [*(request.info(safe=safe) for request in requests), *(step.info() for step in list(_active.values()))]
