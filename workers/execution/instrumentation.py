"""Instrumentation of steps: log context, metrics, spans."""

import uuid
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Literal

import structlog

from clients.llm.protocol import CallRecord
from clients.telemetry import families, tracing
from clients.telemetry.meter import METER
from config.settings import settings
from db.queries.runs.steps import FIRST_OF
from services.core.call_telemetry import report_calls
from workers.pipeline import Run

if TYPE_CHECKING:
    from workers.execution.step_run import StepRun

log = structlog.get_logger()

Outcome = Literal["done", "superseded", "stopped", "put_off", "handed_back"]

_MOST_ITEMS = 64
"""The most items that a log line names; a batch rarely has more."""


@contextmanager
def log_context(run: Run, step: str) -> Generator[None]:
    """Bind the query and step to every log line of the block, and of tasks and threads started in it."""
    with structlog.contextvars.bound_contextvars(query_id=run.query_id, launch=run.launch, round=run.round, step=step):
        yield


def traced(run: Run, traceparent: str | None) -> AbstractContextManager[None]:
    return tracing.following(traceparent, uuid.UUID(run.query_id))


@contextmanager
def log_item_context(step: str, items: Sequence[str]) -> Generator[None]:
    with structlog.contextvars.bound_contextvars(step=step, item=" ".join(items[:_MOST_ITEMS])):
        yield


def report_step(run: "StepRun", outcome: Outcome) -> None:
    records, name, ended_ns = run.context.log.records, run.step.name, run.ended_ns
    items = run.context.items
    if outcome == "put_off":
        # Kept replies will be found and reported again.
        records = [record for record in records if not record.kept]
    METER.observe(families.STEP_SECONDS, max(0, ended_ns - run.began_ns) / 1e9, name)
    failed = run.has_failed and outcome == "done"
    METER.count(families.STEP_ITEMS, name, "failed" if failed else outcome, by=len(items))
    with log_item_context(name, items):
        log.debug("step", outcome=outcome, model_calls=len(records), ms=(ended_ns - run.began_ns) // 1_000_000)
    _trace(run, outcome, records, ended_ns)


def _trace(step_run: "StepRun", outcome: Outcome, records: Sequence[CallRecord], ended_ns: int) -> None:
    within = None
    if tracing.is_on():
        run, items = step_run.run, step_run.context.items
        attributes: dict[str, tracing.Value] = {
            "citewell.query_id": run.query_id,
            "citewell.step": step_run.step.name,
            "citewell.round": run.round,
            "citewell.launch": run.launch,
            "citewell.attempt": max(step_run.attempts.values(), default=0) % FIRST_OF,
            "citewell.item_count": len(items),
            "citewell.items": list(items[:_MOST_ITEMS]),
            "citewell.outcome": outcome,
        }
        error = "failed" if step_run.has_failed else None
        within = tracing.past_span(f"step {step_run.step.name}", step_run.began_ns, ended_ns, attributes, error=error)
    report_calls(records, settings().models.catalogue, within)
