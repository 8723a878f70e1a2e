"""The floor (benchmarks.load.baseline): Citewell's judgements by hand in one process, overlapping, nothing stored.

It knows Citewell's prompts and how Citewell splits an answer, so that it makes the same calls; nothing else.
"""

import asyncio

from benchmarks.load.baseline import Baseline
from benchmarks.rivals.bare_models import BareModels
from benchmarks.rivals.loop import Outcome, read_work, serve


async def main() -> None:
    work, _ = read_work()
    baseline = Baseline(BareModels(work.base_url), work.found, work.kept)

    async def ask() -> Outcome:
        verdicts = await baseline.answer(work.question)
        return Outcome(verdicts.flagged, verdicts.first_at, grounded=not verdicts.flagged)

    try:
        await serve(ask, work)
    finally:
        await baseline.aclose()


if __name__ == "__main__":
    asyncio.run(main())
