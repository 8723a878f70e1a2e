"""The tasks that execute steps: thin, one per message kind."""

from collections.abc import Sequence
from typing import Any, cast

from celery import Task

from db.session import acting_for
from domain.errors.service import DatabaseUnavailable
from workers.celery_app import app
from workers.execution.executor import execute
from workers.execution.inline import Continuation, put_back_if_helped, register, work_for
from workers.execution.work import Body, Message, RetryLater, Step
from workers.pipeline import STAGES, Run
from workers.processes.runtime import run

__all__ = ["Step", "define_step", "step_task", "steps_task"]

_MAX_PAUSE_S = 15


def define_step(name: str, body: Body, **how: Any) -> Step:
    """A step with the fields of its row in `STAGES`; `how` are the other fields of a `Step`."""
    stage = STAGES[name]
    return Step(name, stage.shown, body, follows=stage.follows, adds=stage.adds, spreads=stage.spreads, **how)


def step_task(step: Step) -> Task[Any, Any]:
    return steps_task(step.name, [step])


def steps_task(name: str, steps: Sequence[Step]) -> Task[Any, Any]:
    full_name = f"query.{name}"
    register(full_name, steps)

    async def on_loop(
        message: Message, query_id: str, launch: int, round_: int, tenant: int, items: Sequence[str] = ("",)
    ) -> None:
        await put_back_if_helped(message)
        work = work_for(full_name, Run(query_id, launch, round_, tenant), items)
        try:
            with acting_for(tenant):
                await execute(work, Continuation(message.context.chain or ()), message)
        except DatabaseUnavailable as error:
            pause_s = min(2 ** min(message.retries, 4), _MAX_PAUSE_S)
            raise RetryLater("the database is unreachable", countdown_s=pause_s) from error
        # Only now, because a message that is delivered again keeps all its links, and skips those that are done.
        message.context.chain = []

    def in_thread(task: Task[Any, Any], *args: Any) -> None:
        try:
            run(on_loop(Message(task, task.request), *args))
        except RetryLater as again:
            raise task.retry(countdown=again.countdown_s, eta=again.eta, exc=again) from again

    # Retries are not limited in number: the query's deadline ends them.
    task = app.task(name=full_name, bind=True, max_retries=None, typing=False)(in_thread)
    cast("Any", task).on_loop = on_loop
    return task
