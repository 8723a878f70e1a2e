"""Bodies of steps that a child runs."""

import os
import re
import time
from pathlib import Path

from citewell_verify.judging.statement import Failure
from citewell_verify.prompting.judgements import CHECK_STATEMENT
from citewell_verify.prompting.numbered_sources import Source, Sources
from services.core.context import StepContext, StepResult

SAID = "Returns must be made within 30 days."


def hang(_: StepContext) -> StepResult:
    """Keep the interpreter's lock for longer than any test waits."""
    re.match(r"(a+)+b", "a" * 60)
    raise AssertionError


async def ask(context: StepContext) -> StepResult:
    """Call a model."""
    sources = Sources([Source(1, "policy", f"Refund policy. {SAID}")])
    fields = {"sources": sources, "statement": SAID}
    reply = await context.tools.models.ask(CHECK_STATEMENT, fields, log=context.log, item="s0")
    told = reply.reason if isinstance(reply, Failure) else reply.relation
    return StepResult.single({"told": told, "pid": os.getpid()})


def survive(context: StepContext) -> StepResult:
    """Note the process in the file named by the question; the first one then stays until it is killed."""
    noted = Path(context.question)
    is_first = not noted.exists()
    noted.write_text(str(os.getpid()))
    if is_first:
        time.sleep(60)
    return StepResult.single({"pid": os.getpid()})
