"""`make bench`: what Citewell's queues, processes and storage cost over the bare model calls, as a table.

Both rows ask the same simulated provider for the same judgements, so only what is around the calls differs. The
baseline keeps nothing and forgets everything when it dies. Machines are noisy: compare the rows, not the runs.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
from rich.console import Console
from rich.table import Table

from benchmarks.baseline import Baseline
from tests.e2e.stack import Stack, running_stack
from tests.simulators.groq.latency import LatencyModel
from tests.simulators.groq.limits import Limits
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import KEY, GroqSimulator

DOCUMENT = Path(__file__).resolve().parents[1] / "examples" / "corpus" / "authentication-guide.md"
QUESTION = "How long are access tokens valid?"
ROUNDS, IN_FLIGHT, TOTAL = 9, 16, 64


def main() -> None:
    """Run both and print the table."""
    simulator = GroqSimulator(
        time_scale=1.0,
        accounts={KEY: Account("org_bench", Limits.none())},
        latency=LatencyModel(spread=0.0, tail=0.0),
    )
    with simulator, running_stack(GROQ_API_KEY=KEY, GROQ_BASE_URL=simulator.base_url) as stack:
        stack.add_file(DOCUMENT, workspace="bench")
        rows = [_measure_baseline(simulator, _chunks(stack)), _measure_citewell(simulator, stack)]
    _print(rows)


def _chunks(stack: Stack) -> list[str]:
    query = stack.ask(QUESTION, workspace="bench", retrieval={"k": 10}, rerank={"top_k": 10})
    return [source["text"] for source in query["sources"]]


def _measure_baseline(simulator: GroqSimulator, chunks: list[str]) -> tuple[str, float, float, float]:
    async def run() -> tuple[float, float]:
        baseline = Baseline(simulator.base_url, KEY, chunks)
        await baseline.answer(QUESTION)
        alone = [await _timed(lambda: baseline.answer(QUESTION)) for _ in range(ROUNDS)]
        slots = asyncio.Semaphore(IN_FLIGHT)

        async def one() -> None:
            async with slots:
                await baseline.answer(QUESTION)

        started = time.perf_counter()
        await asyncio.gather(*(one() for _ in range(TOTAL)))
        rate = TOTAL / (time.perf_counter() - started)
        await baseline.aclose()
        return statistics.median(alone), rate

    simulator.reset()
    alone, rate = asyncio.run(run())
    return "bare asyncio", alone, rate, _calls_per_query(simulator)


def _measure_citewell(simulator: GroqSimulator, stack: Stack) -> tuple[str, float, float, float]:
    def one(_: int = 0) -> float:
        started = time.perf_counter()
        query = stack.ask(QUESTION, workspace="bench", retrieval={"k": 10}, rerank={"top_k": 3})
        assert query["status"] == "succeeded", query["error"]  # noqa: S101 - a failed query is no measurement
        return time.perf_counter() - started

    one()
    simulator.reset()
    alone = statistics.median(one() for _ in range(ROUNDS))
    started = time.perf_counter()
    with ThreadPoolExecutor(IN_FLIGHT) as clients:
        list(clients.map(one, range(TOTAL)))
    rate = TOTAL / (time.perf_counter() - started)
    return "Citewell", alone, rate, _calls_per_query(simulator)


async def _timed(work: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await work()
    return time.perf_counter() - started


def _calls_per_query(simulator: GroqSimulator) -> float:
    return len(simulator.ledger.of("generate_answer")) and len(simulator.ledger.entries) / len(
        simulator.ledger.of("generate_answer")
    )


def _print(rows: list[tuple[str, float, float, float]]) -> None:
    table = Table(title=f"One document, one question; median of {ROUNDS}, then {TOTAL} queries, {IN_FLIGHT} in flight")
    for heading in ("system", "one query, s", "over bare", "queries/s", "calls/query"):
        table.add_column(heading, justify="left" if heading == "system" else "right")
    floor = rows[0][1]
    for name, alone, rate, calls in rows:
        table.add_row(name, f"{alone:.3f}", f"{alone / floor - 1:+.0%}", f"{rate:.1f}", f"{calls:.1f}")
    Console().print(table)


if __name__ == "__main__":
    try:
        main()
    except httpx.HTTPError as error:
        raise SystemExit(f"benchmark: the stack did not answer: {error}") from error
