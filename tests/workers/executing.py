"""Executing a step in the process of a test, as a worker's loop does, and waiting for its end."""

from collections.abc import Sequence

from db.session import acting_for
from workers.execution import execute
from workers.message import Message
from workers.onward import Onward
from workers.pipeline import Run
from workers.runtime import run
from workers.work import Step, Work


def execute_step(step: Step, run_: Run, items: Sequence[str] = ("",), *, message: Message | None = None) -> None:
    """Do one step; raises what `execute` raises."""
    execute_work(Work.single(step, run_, items), Onward(), message=message)


def execute_work(work: Work, onward: Onward, *, message: Message | None = None) -> None:
    """Do what a message asks for, and what follows in place."""
    run(execute(work, onward, message))


def execute_for(tenant: int, step: Step, run_: Run) -> None:
    """Do one step as that tenant."""
    with acting_for(tenant):
        execute_step(step, run_)
