"""Where the failpoints are in a process of Citewell: the one place that knows which of its functions are the points."""

import functools
import os
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from celery.signals import task_postrun, task_prerun
from kombu.transport.redis import Channel

from citewell_verify.embeddings.wheel import UseEmbedder
from clients.llm.completions.providers import GroqModel
from clients.webhooks.sending import WebhookSender
from tests.faults.failpoints import FOLDER, Failpoints, Point
from workers.execution.step_run import StepRun
from workers.execution.work import Continuation

# A model call has a copy of the context of the task that asked for it.
_task: ContextVar[str] = ContextVar("task", default="")
_subject: ContextVar[str] = ContextVar("subject", default="")


def install() -> None:
    """Hook this process."""
    folder = Path(os.environ[FOLDER])
    points = Failpoints(folder)

    def reach(point: Point, name: str) -> None:
        points.reach(point, name, _subject.get())

    _hook_tasks(reach)
    _hook_steps(reach)
    _hook_going_on(reach)
    _hook_models(reach)
    _hook_vectors(reach)
    _hook_webhooks(reach)
    _hook_publishing(folder / "duplicate")


Reach = Callable[[Point, str], None]


def _hook_tasks(reach: Reach) -> None:
    @task_prerun.connect(weak=False)
    def begin(task: Any, args: Any, **_: Any) -> None:
        _task.set(task.name)
        _subject.set(str(args[0]) if args else "")
        reach(Point.START, task.name)

    @task_postrun.connect(weak=False)
    def end(task: Any, **_: Any) -> None:
        reach(Point.BEFORE_ACK, task.name)


def _hook_steps(reach: Reach) -> None:
    executed = StepRun.execute

    @functools.wraps(executed)
    async def execute(self: StepRun) -> Any:
        found = await executed(self)
        reach(Point.AFTER_CALL, _task.get())
        return found

    StepRun.execute = execute


def _hook_going_on(reach: Reach) -> None:
    advance = Continuation.advance

    @functools.wraps(advance)
    def begin(self: Continuation) -> str:
        task = advance(self)
        reach(Point.START, task)
        return task

    Continuation.advance = begin


def _hook_models(reach: Reach) -> None:
    for method in ("complete", "stream"):
        setattr(GroqModel, method, _announced(getattr(GroqModel, method), reach))


def _announced(asked: Callable[..., Any], reach: Reach) -> Callable[..., Any]:
    @functools.wraps(asked)
    def ask(self: GroqModel, request: Any) -> Any:
        reach(Point.BEFORE_CALL, request.prompt)
        return asked(self, request)

    return ask


def _hook_vectors(reach: Reach) -> None:
    for method, name in (("encode_documents", "embed"), ("encode_queries", "embed_query")):
        setattr(UseEmbedder, method, _between(getattr(UseEmbedder, method), name, reach))


def _between(encode: Callable[..., Any], name: str, reach: Reach) -> Callable[..., Any]:
    @functools.wraps(encode)
    def encoded(self: UseEmbedder, texts: Any) -> Any:
        reach(Point.BEFORE_CALL, name)
        vectors = encode(self, texts)
        reach(Point.AFTER_CALL, name)
        return vectors

    return encoded


def _hook_webhooks(reach: Reach) -> None:
    sent = WebhookSender.send

    @functools.wraps(sent)
    async def send(self: WebhookSender, *args: Any, **kwargs: Any) -> Any:
        reach(Point.BEFORE_CALL, "webhook")
        result = await sent(self, *args, **kwargs)
        reach(Point.AFTER_CALL, "webhook")
        return result

    WebhookSender.send = send


def _hook_publishing(switch: Path) -> None:
    """While the file `switch` exists every message is put into its queue twice, as two deliveries."""
    channel: Any = Channel
    put: Callable[..., None] = channel._put

    @functools.wraps(put)
    def put_twice(self: Any, queue: str, message: Any, **kwargs: Any) -> None:
        put(self, queue, message, **kwargs)
        if switch.exists():
            again = {**message, "properties": {**message["properties"], "delivery_tag": str(uuid.uuid4())}}
            put(self, queue, again, **kwargs)

    channel._put = put_twice
