"""Reports how steps ended: to the log, as metrics and as spans."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import structlog

from clients.telemetry import families, tracing
from clients.telemetry.meter import METER
from config.settings import settings
from services.core.call_telemetry import report_calls

if TYPE_CHECKING:
    from workers.execution.step_run import StepRun

log = structlog.get_logger()

Outcome = Literal["done", "superseded", "stopped", "put_off", "handed_back"]

_MOST_ITEMS = 64
"""The most items that a log line names; a batch rarely has more."""


@contextmanager
def log_item_context(step: str, items: Sequence[str]) -> Generator[None]:
    with structlog.contextvars.bound_contextvars(step=step, item=" ".join(items[:_MOST_ITEMS])):
        yield


def report_step(step_run: "StepRun", outcome: Outcome) -> None:
    name, run, items = step_run.step.name, step_run.claim.run, step_run.context.items
    records, lasted_ns = step_run.context.log.records, max(0, step_run.ended_ns - step_run.began_ns)
    if outcome == "put_off":
        # Kept replies will be found and reported again.
        records = [record for record in records if not record.kept]
    METER.observe(families.STEP_SECONDS, lasted_ns / 1e9, name)
    METER.count(
        families.STEP_ITEMS, name, "failed" if step_run.has_failed and outcome == "done" else outcome, by=len(items)
    )
    with log_item_context(name, items):
        log.debug("step", outcome=outcome, model_calls=len(records), ms=lasted_ns // 1_000_000)
    within = None
    if tracing.is_on():
        attributes: dict[str, tracing.Value] = {
            "citewell.query_id": run.query_id,
            "citewell.step": name,
            "citewell.round": run.round,
            "citewell.launch": run.launch,
            "citewell.attempt": max(step_run.claim.attempts.values(), default=0),
            "citewell.item_count": len(items),
            "citewell.items": list(items[:_MOST_ITEMS]),
            "citewell.outcome": outcome,
        }
        error = "failed" if step_run.has_failed else None
        within = tracing.past_span(f"step {name}", step_run.began_ns, step_run.ended_ns, attributes, error=error)
    report_calls(records, settings().models.catalogue, within)
