"""Pool `generation`."""

from typing import Any

from celery import Signature

from domain.batches import batches
from services.early import items_not_handed_out
from services.generation import generate
from services.step import StepContext
from services.verification import ALIGNMENT_CHUNKS
from workers import pipeline
from workers.step import Step, step_task


def check_the_rest(run: pipeline.Run, context: StepContext) -> list[Signature[Any]]:
    """The draft is complete: what is checked of the whole, and the sentences that nobody has in hand."""
    options = context.query.options
    if context.draft["status"] != "complete" or not options.verification:
        return []
    left = batches(items_not_handed_out(context), options.check_batch)
    return [*pipeline.answer_checks(run), *pipeline.statement_checks(run, left)]


def read_while_checked(context: StepContext) -> list[int]:
    """What the answer is written from, and what its checks look at besides."""
    return [*context.selection["selected"], *context.selection["ranked"][:ALIGNMENT_CHUNKS]]


generate_task = step_task(
    Step(
        "generate",
        "generating",
        generate,
        failed={"status": "failed", "text": "", "model": None},
        adds=check_the_rest,
        spreads=pipeline.early_check,
        fresh=True,
        reads=read_while_checked,
    )
)
