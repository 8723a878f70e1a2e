"""The tasks that execute steps: thin, one per message kind."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, Unpack, cast

from celery import Task

from db.session import acting_for
from domain.errors import DatabaseUnavailable
from services.core.context import StepContext
from workers.celery_app import app
from workers.execution.executor import execute
from workers.execution.inline import Onward, register, work_of
from workers.execution.message import ComeAgain, Message
from workers.execution.work import Body, Step
from workers.pipeline import STAGES, Run
from workers.processes.runtime import run

__all__ = ["Step", "step_of", "step_task", "steps_task"]

_LONGEST_S = 15


class How(TypedDict, total=False):
    """How a step is run: see `Step`."""

    failed: Mapping[str, Any]
    ends: bool
    until: float
    computes: bool
    fresh: bool
    reads: Callable[[StepContext], Sequence[int]]
    derived: bool


def step_of(name: str, body: Body, **how: Unpack[How]) -> Step:
    """A step of the pipeline, which alone says what is shown meanwhile and what follows."""
    stage = STAGES[name]
    return Step(name, stage.shown, body, then=stage.follows, adds=stage.adds, spreads=stage.spreads, **how)


def step_task(step: Step) -> Task[Any, Any]:
    """Register `query.<name>` as a Celery task that executes the step."""
    return steps_task(step.name, [step])


def steps_task(name: str, steps: Sequence[Step]) -> Task[Any, Any]:
    """Register `query.<name>` as a Celery task that executes all of these steps at once."""
    full_name = f"query.{name}"
    register(full_name, steps)

    async def on_loop(
        message: Message, query_id: str, launch: int, round_: int, tenant: int, items: Sequence[str] = ("",)
    ) -> None:
        work, onward = work_of(full_name, Run(query_id, launch, round_, tenant), items), Onward(message.chain)
        try:
            with acting_for(tenant):
                await execute(work, onward, message)
        except DatabaseUnavailable as error:
            # Postgres cannot be reached for a moment: keep the message, and try again soon.
            pause_s = min(2 ** min(message.retries, 4), _LONGEST_S)
            raise ComeAgain("the database is away", countdown_s=pause_s) from error
        # Only now: a message that comes again finds all its links, and those that are done do nothing.
        message.chain = onward.untaken

    def in_thread(task: Task[Any, Any], *args: Any) -> None:
        """The same in a pool of threads or processes, traced by Celery."""
        message = Message(task, task.request)
        try:
            run(on_loop(message, *args))
        except ComeAgain as again:
            raise task.retry(countdown=again.countdown_s, eta=again.eta, exc=again) from again

    # However often it comes again: the query's deadline ends it.
    task = app.task(name=full_name, bind=True, max_retries=None, typing=False)(in_thread)
    cast("Any", task).on_loop = on_loop
    return task
