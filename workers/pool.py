"""A Celery pool on an event loop, where the messages of a process wait for models and servers concurrently.

Enabled by `--pool custom` with CELERY_CUSTOM_WORKER_POOL=workers.pool:LoopPool. Celery's consumer keeps its own thread.
A task with `on_loop`, a coroutine function of its `Message` and its arguments, runs on the loop of this process; any
other task runs in one of `concurrency` threads, traced by Celery as in its own thread pool.

Celery's tracer assumes one task per thread (`Task.request` is a stack per thread), so it is not used on the loop. This
module does its work for the tasks of this program: the parts of chords after a success,
errbacks after a failure, a new message for `RetryLater`. Ignore and Reject reach Celery's request as usual. Results
are not stored; `link` callbacks and time limits are not supported, because no task uses them.
"""

import asyncio
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, cast

import structlog
from celery import Task
from celery.app import trace
from celery.app.task import Context
from celery.app.trace import FAILURE, SUCCESS, TraceInfo
from celery.concurrency.base import BasePool, apply_target
from celery.exceptions import Ignore, Reject, Retry, Terminated
from celery.signals import task_postrun, task_prerun
from kombu.exceptions import OperationalError
from kombu.serialization import loads, prepare_accept_content
from redis.exceptions import RedisError

from workers.execution.work import Message, RetryLater
from workers.processes.runtime import event_loop

log = structlog.get_logger()

# Celery's wrapper for a failure.
_Info: Any = vars(trace)["ExceptionInfo"]

_CLEANUP_S = 10.0
"""Time for cancelled work to hand back its claims at shutdown."""

_BROKER_ERRORS = (OperationalError, RedisError, OSError)
"""The errors of an unreachable broker."""

_Callback = Callable[..., object]


@dataclass(eq=False)
class Running:
    """A message being processed, in the form of Celery's request."""

    loop: asyncio.AbstractEventLoop
    task: asyncio.Task[None] | None = None
    reason: Exception = field(default_factory=lambda: Reject("the worker ends", requeue=True))
    """The report to Celery when the message is cancelled."""

    def terminate(self, signal: object = None) -> None:
        """Cancel the message, which Celery has already acknowledged."""
        self.reason = Terminated(str(signal))
        self.loop.call_soon_threadsafe(self.cancel)

    def cancel(self) -> None:
        """Raise CancelledError at the current await of the message; call this on the loop."""
        if self.task is not None:
            self.task.cancel()


class LoopPool(BasePool):
    """The pool, which takes `limit` messages at a time."""

    limit: int
    app: Any
    body_can_be_buffer = True
    signal_safe = False

    def on_start(self) -> None:
        self._loop = event_loop()
        self._accepted = prepare_accept_content(self.app.conf.accept_content)
        self._running = set[Running]()
        self._idle = threading.Event()
        self._threads = ThreadPoolExecutor(max_workers=self.limit, thread_name_prefix="task")

    def on_apply(
        self,
        target: _Callback,
        args: Any = None,
        kwargs: Any = None,
        callback: Any = None,
        accept_callback: Any = None,
        **_: Any,
    ) -> Any:
        """Take a message: `args` are those of Celery's tracer."""
        task: Any = self.app.tasks[args[0]]
        if not hasattr(task, "on_loop"):
            return self._threads.submit(apply_target, target, args, kwargs, callback, accept_callback)
        running = Running(self._loop)
        # The message is registered here and not on the loop, which may be busy, so that stopping the pool waits for it.
        self._running.add(running)
        self._loop.call_soon_threadsafe(self._begin, running, task, args[1:], callback, accept_callback)
        return running

    def _begin(self, running: Running, task: Any, args: Any, callback: _Callback, accepted: _Callback | None) -> None:
        running.task = self._loop.create_task(self._apply(running, task, args, callback, accepted))

    async def _apply(
        self, running: Running, task: Any, args: Any, callback: _Callback, accepted: _Callback | None
    ) -> None:
        began = time.monotonic()
        try:
            if accepted is not None:
                accepted(os.getpid(), began)
            error = await self._execute(running, task, *args)
            callback((int(error is not None), error, time.monotonic() - began))
        except Exception:
            # Celery's own bookkeeping failed. The message stays unacknowledged and goes back when this process ends.
            log.exception("message_not_acknowledged", task=task.name)
        finally:
            self._running.discard(running)
            if not self._running:
                self._idle.set()

    async def _execute(
        self, running: Running, task: Any, task_id: str, request: Any, body: Any, content_type: Any, encoding: Any
    ) -> Any:
        context = None
        try:
            positional, named, embedded = loads(body, content_type, encoding, accept=self._accepted)
            context = Context({**request, **(embedded or {})}, args=positional, kwargs=named, called_directly=False)
            task_prerun.send(sender=task, task_id=task_id, task=task, args=positional, kwargs=named)
            await task.on_loop(Message(task, context), *positional, **named)
            if context.chord:
                await asyncio.to_thread(_count_in_chord, task, context)
            task_postrun.send(sender=task, task_id=task_id, task=task, args=positional, kwargs=named, state=SUCCESS)
        except asyncio.CancelledError:
            return _exception_info(running.reason)
        except (Ignore, Reject) as ended:
            return _exception_info(ended)
        except RetryLater as retry:
            return _exception_info(await asyncio.to_thread(_republish, task, context, retry))
        except Exception as error:  # noqa: BLE001 - the errback handles every error
            return await asyncio.to_thread(_handle_failure, task, context, error)
        return None

    def on_stop(self) -> None:
        self._idle.clear()
        if self._running:
            self._idle.wait()
        self._threads.shutdown(cancel_futures=True)

    def on_terminate(self) -> None:
        """Cancel the running messages, which return to their queues."""
        self._idle.clear()
        if self._running:
            self._loop.call_soon_threadsafe(lambda: [running.cancel() for running in tuple(self._running)])
            self._idle.wait(_CLEANUP_S)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def terminate_job(self, pid: int, signal: object = None) -> None:
        """Do nothing: Celery also calls `Running.terminate`, which knows its message."""

    def _get_info(self) -> dict[str, Any]:
        info: dict[str, Any] = cast("Any", super())._get_info()
        return {**info, "running": len(self._running)}


def _count_in_chord(task: Any, context: Any) -> None:
    """Do what Celery does when a part of a chord succeeds."""
    try:
        task.backend.mark_as_done(context.id, None, context, store_result=False)
    except _BROKER_ERRORS as error:
        # This is no failure of the query: when redelivered, the message finds everything done and is counted.
        log.warning("not_counted_in_chord", task=task.name, error=type(error).__name__)
        raise Reject(error, requeue=True) from error


def _republish(task: Any, context: Any, retry: RetryLater) -> Exception:
    """Publish the message again, with its chain, chord and errbacks."""
    try:
        again = {"countdown": retry.countdown_s, "eta": retry.eta, "retries": (context.retries or 0) + 1}
        task.signature_from_request(context, **again).apply_async()
    except Exception as error:  # noqa: BLE001 - Celery's request handles every error
        # Without the broker this message itself must be redelivered: Celery fails messages that are not requeued.
        return Reject(error, requeue=isinstance(error, _BROKER_ERRORS))
    return Retry(retry.reason, exc=retry, when=cast("Any", retry.eta or retry.countdown_s))


def _handle_failure(task: Task[Any, Any], context: Context | None, error: Exception) -> Any:
    log.error("task_failed", task=task.name, exc_info=error)
    # Celery clears the frames of the traceback, but those of an awaited coroutine are still needed.
    error = error.with_traceback(None)
    if context is None:
        return _exception_info(error)
    try:
        raise error
    except Exception as raised:  # noqa: BLE001 - Celery reads the current exception
        info: Any = TraceInfo(FAILURE, raised)
        return info.handle_error_state(task, context)


def _exception_info(error: Exception) -> Any:
    try:
        raise error
    except Exception:  # noqa: BLE001 - what has a traceback is what is raised
        return _Info()
