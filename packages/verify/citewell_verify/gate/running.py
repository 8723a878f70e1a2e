"""Many cases verified at a time: on all processors without a model, side by side in one process with one."""

import asyncio
import os
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

from citewell_verify.errors import CitewellError
from citewell_verify.gate.cases import Case
from citewell_verify.gate.outcome import Gate, Outcome
from citewell_verify.judges import Judge
from citewell_verify.pipeline import verify, verify_async

_AT_A_TIME = 8
"""Cases that wait for a model side by side."""
_FEW = 50
"""Cases that are done before other processes have started."""
_A_LOAD = 8


def run_cases(cases: Sequence[Case], gate: Gate, judge: Judge | None = None) -> list[Outcome]:
    """Verify all of `cases`, in their order. One that cannot be verified has a `problem`; the others go on."""
    if judge is not None:
        return asyncio.run(_with_model(cases, gate, judge))
    processes = os.cpu_count() or 1
    if processes == 1 or len(cases) <= _FEW:
        return [_run(case, gate) for case in cases]
    with ProcessPoolExecutor(processes) as pool:
        return list(pool.map(_run, cases, [gate] * len(cases), chunksize=_A_LOAD))


def _run(case: Case, gate: Gate) -> Outcome:
    begun = time.monotonic()
    try:
        report = verify(case.answer, case.sources, case.question)
    except CitewellError as error:
        return Outcome(case, problem=error.message)
    return Outcome(case, report, gate.failing(report), seconds=time.monotonic() - begun)


async def _with_model(cases: Sequence[Case], gate: Gate, judge: Judge) -> list[Outcome]:
    places = asyncio.Semaphore(_AT_A_TIME)

    async def run(case: Case) -> Outcome:
        async with places:
            begun = time.monotonic()
            try:
                report = await verify_async(case.answer, case.sources, case.question, judge)
            except CitewellError as error:
                return Outcome(case, problem=error.message)
            return Outcome(case, report, gate.failing(report), seconds=time.monotonic() - begun)

    return list(await asyncio.gather(*map(run, cases)))
