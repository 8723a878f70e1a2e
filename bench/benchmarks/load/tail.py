"""`python -m benchmarks.load.tail [--stack]`: what a provider that is at times broken or slow does to questions.

Two percent of the calls end in HTTP 500, two percent are ten times slower. Aims: every question is answered, the p95
with faults is at most 1.6 times the calm p50, at most 10 % extra calls. `--stack` asks a whole Citewell instead of the
bare gateway. Few questions are in flight at a time: what is measured is the provider's tail, not this machine's load.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.load.baseline import Baseline, GatewayModels
from config.models import ModelSettings
from tests.e2e.stack import running_stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.latency import LatencyModel
from tests.simulators.groq.limits import Limits
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import KEY, GroqSimulator

DOCUMENT = Path(__file__).resolve().parents[3] / "api" / "dashboard" / "example" / "authentication-guide.md"
QUESTION = "How long are access tokens valid?"
WARMING, TOTAL, IN_FLIGHT = 20, 200, 8
TROUBLE = 0.02
CALM = LatencyModel(tail=0.0)
SLOW = LatencyModel(tail=TROUBLE, tail_factor=10.0)

Ask = Callable[[], float | None]
"""Asks one question: returns seconds, or None when there was no answer."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of the answered questions, the share that was answered, and the calls made per question."""

    seconds: list[float]
    answered: float
    calls: float

    @property
    def p50(self) -> float:
        return statistics.median(self.seconds)

    @property
    def p95(self) -> float:
        return statistics.quantiles(self.seconds, n=20)[-1]


def main() -> None:
    """Run calm and with faults, without and with hedging, and print the table."""
    asking = _stack if "--stack" in sys.argv[1:] else _bare
    rows: list[tuple[str, Measured, Measured]] = []
    with _simulator() as simulator:
        for name, share in (("off", 0.0), ("on", 0.05)):
            with asking(simulator, share) as ask:
                calm = _measure(simulator, ask, CALM)
                faulty = _measure(simulator, ask, SLOW, Fault(kind=FaultKind.SERVER_ERROR, probability=TROUBLE))
            rows.append((name, calm, faulty))
    _print(rows)


def _simulator() -> GroqSimulator:
    return GroqSimulator(time_scale=1.0, accounts={KEY: Account("org_bench", Limits.none())}, latency=CALM)


def _measure(simulator: GroqSimulator, ask: Ask, latency: LatencyModel, *faults: Fault) -> Measured:
    simulator.reset()
    simulator.provider.latency = latency
    simulator.fail(*(fault.model_copy(update={"times": None}) for fault in faults))

    def one(_: int) -> float | None:
        return ask()

    with ThreadPoolExecutor(IN_FLIGHT) as people:
        list(people.map(one, range(WARMING)))
        simulator.ledger.entries.clear()
        found = list(people.map(one, range(TOTAL)))
    seconds = [each for each in found if each is not None]
    return Measured(seconds, len(seconds) / TOTAL, len(simulator.ledger.entries) / TOTAL)


@contextmanager
def _bare(simulator: GroqSimulator, hedge_share: float) -> Generator[Ask]:
    """Use the gateway in this process."""
    with asyncio.Runner() as runner, ThreadPoolExecutor(1) as thread:
        loop = runner.get_loop()
        chunks = DOCUMENT.read_text(encoding="utf-8").split("\n\n")[:10]
        settings = ModelSettings(concurrency=512, hedge_share=hedge_share)
        baseline = Baseline(GatewayModels(simulator.base_url, KEY, settings), chunks)

        def ask() -> float | None:
            started = time.perf_counter()
            try:
                asyncio.run_coroutine_threadsafe(baseline.answer(QUESTION), loop).result()
            except RuntimeError:
                return None
            return time.perf_counter() - started

        thread.submit(loop.run_forever)
        yield ask
        asyncio.run_coroutine_threadsafe(baseline.aclose(), loop).result()
        loop.call_soon_threadsafe(loop.stop)


@contextmanager
def _stack(simulator: GroqSimulator, hedge_share: float) -> Generator[Ask]:
    """Use a whole Citewell."""
    environment = {
        "GROQ_API_KEY": KEY,
        "GROQ_BASE_URL": simulator.base_url,
        "CITEWELL_MODELS__HEDGE_SHARE": str(hedge_share),
        "CITEWELL_GRAPH__EXTRACTOR": "local",
    }
    with running_stack(**environment) as stack:
        stack.add_file(DOCUMENT, workspace="bench")

        def ask() -> float | None:
            started = time.perf_counter()
            query = stack.ask(QUESTION, workspace="bench", retrieval={"k": 10}, rerank={"top_k": 3})
            return time.perf_counter() - started if query["status"] == "succeeded" else None

        yield ask


def _print(rows: list[tuple[str, Measured, Measured]]) -> None:
    table = Table(
        title=f"{TROUBLE:.0%} HTTP 500, {TROUBLE:.0%} ten times slower; {TOTAL} questions, {IN_FLIGHT} at a time"
    )
    headings = ("calm p50, s", "calm p95", "p95 with faults", "of calm p50", "answered", "extra calls")
    table.add_column("hedging")
    for heading in headings:
        table.add_column(heading, justify="right")
    for name, calm, faulty in rows:
        table.add_row(
            name,
            f"{calm.p50:.2f}",
            f"{calm.p95:.2f}",
            f"{faulty.p95:.2f}",
            f"{faulty.p95 / calm.p50:.2f} x",
            f"{faulty.answered:.1%}",
            # Compared with the calm run without hedging; retries and second calls both count.
            f"{faulty.calls / rows[0][1].calls - 1:+.1%}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
