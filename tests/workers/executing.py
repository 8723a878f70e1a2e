"""Executing a step in the process of a test, as a worker's loop does, and waiting for its end."""

from collections.abc import Sequence

from workers.execution.executor import execute
from workers.execution.work import Continuation, Message, Step, Work
from workers.pipeline import Run
from workers.processes.runtime import run


def execute_step(step: Step, run_: Run, items: Sequence[str] = ("",), *, message: Message | None = None) -> None:
    """Do one step; raises what `execute` raises."""
    execute_work(Work.single(step, run_, items), Continuation(), message=message)


def execute_work(work: Work, continuation: Continuation, *, message: Message | None = None) -> None:
    """Do what a message asks for, and what follows in place."""
    run(execute(work, continuation, message))
