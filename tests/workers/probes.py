"""A worker of its own whose steps do what their items say, for tests that need a real process.

`celery -A tests.workers.probes worker` runs it. Every start of an item adds a line to the file that PROBE_LOG names.
The children of a pool rest for PROBE_REST_S seconds before they end.
"""

import asyncio
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from celery import Signature, chord

from clients.llm.protocol import CallDeferred
from services.core.context import StepContext, StepResult
from workers import lifecycle
from workers.celery_app import app
from workers.execution.executor import steps_task
from workers.execution.work import Step
from workers.pipeline import Run

__all__ = ["app"]

lifecycle.REST_S = float(os.environ.get("PROBE_REST_S", lifecycle.REST_S))

NOT_DONE = {"status": "not_checked"}


async def act(context: StepContext) -> StepResult:
    """Do what the items say, all at once: `sleep-SECONDS…`, `defer-TIMES-SECONDS…`, `die…`, anything else nothing."""
    for item in context.items:
        note(item)
    await asyncio.gather(*(_act(item) for item in context.items))
    return StepResult({item: {"status": "done", "pid": os.getpid()} for item in context.items})


async def _act(item: str) -> None:
    kind, *arguments = item.split("-")
    if kind == "sleep":
        await asyncio.sleep(float(arguments[0]))
    elif kind == "defer" and len(starts(item)) <= int(arguments[0]):
        raise CallDeferred(float(arguments[1]), "the allowance is used up")
    elif kind == "die":
        os.kill(os.getpid(), signal.SIGKILL)


def after(context: StepContext) -> StepResult:
    """Note that everything before it is done."""
    note("after")
    seen = sorted(item for step, item in context.outcomes if step == "probe")
    return StepResult.single({"status": "done", "seen": seen})


steps_task("probe", [Step("probe", "probing", act, failed=NOT_DONE)])
steps_task("strict", [Step("strict", "probing", act)])
steps_task("after", [Step("after", "probing", after)])


def note(item: str) -> None:
    with Path(os.environ["PROBE_LOG"]).open("a", encoding="utf-8") as log:
        log.write(f"{item} {time.time()} {os.getpid()}\n")


def starts(item: str) -> list[tuple[float, int]]:
    """(when, process) of each start of an item."""
    path = Path(os.environ["PROBE_LOG"])
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [(float(line.split()[1]), int(line.split()[2])) for line in lines if line.split()[0] == item]


def probe(run: Run, items: Sequence[str], step: str = "probe") -> Signature[Any]:
    """One task of a step."""
    args = (*run, list(items))
    return app.signature(f"query.{step}", args=args, immutable=True, queue="verification", ignore_result=True)


def fan_out(run: Run, batches: Sequence[Sequence[str]]) -> Signature[Any]:
    """The items in parallel, followed by `after`."""
    return chord([probe(run, items) for items in batches], probe(run, [""], "after"))
