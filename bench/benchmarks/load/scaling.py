"""`python -m benchmarks.load.scaling [--seconds 40]`: how much more gets done with more worker processes, as a table.

A simulated provider in a process of its own takes seconds for each call, and a worker process has few calls in flight,
so that waiting for models, and not this machine's cores, is the limit: what is measured is whether processes share the
work and stay out of each other's way. First answers from elsewhere with 1, 2 and 4 processes that verify; then
questions with one process and with two that do all steps, as `citewell up` has them; then questions with one process
that does all steps, and processes that only verify beside it. 100 % is as many calls per second and process as with
one. Each part takes three minutes or less.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import psutil
from rich.console import Console
from rich.table import Table

from benchmarks.cost.meter import DOCUMENT, QUESTION, Meter, asking, metered_stack
from benchmarks.cost.meter_cost import cost
from benchmarks.load.provider import forget, ledger, simulated_provider
from tests.e2e.stack import Stack

LATENCY_S, CALLS_IN_FLIGHT, PLACES = 2.0, 4, 8
WARMING_S = 12.0
GIVEN: dict[str, Any] = {
    "answer": "Returns are accepted within 30 days [1]. Refunds take 5 days [2]. Shipping is free above 50 euros [3].",
    "sources": [
        {"text": "Returns are accepted within 30 days of the purchase date."},
        {"text": "Refunds take 5 days after the return has arrived."},
        {"text": "Shipping is free above 50 euros."},
    ],
}
ASKED: dict[str, Any] = {
    "question": QUESTION,
    "workspace": "bench",
    "retrieval": {"k": 10},
    "rerank": {"top_k": 3},
}
MOSTLY_CHECKED: dict[str, Any] = {**ASKED, "retrieval": {"k": 2}, "rerank": {"top_k": 2}}
_BEFORE_CHECKS = ("retrieval", "reranking", "citations", "generation")
_REST = ("graph", "maintenance")


@dataclass(frozen=True, slots=True)
class Rate:
    """The work done per second, and its cost: cores of this machine for all of Citewell and its servers; cores that
    other programs kept busy."""

    calls: float
    ended: float
    cores: float
    others: float


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load.scaling", description=__doc__)
    parser.add_argument("--seconds", type=float, default=40.0, help="of each row, after it has warmed up")
    parser.add_argument("--only", choices=["verification", "all", "beside"], help="one part alone")
    options = parser.parse_args()
    table = Table(
        title=f"{CALLS_IN_FLIGHT} model calls of {LATENCY_S:g} s in flight per process; "
        f"possible: {CALLS_IN_FLIGHT / LATENCY_S:g} calls/s per process and queue"
    )
    for heading in ("processes", "calls/s", "of linear", "ended/s", "cores used", "others' cores"):
        table.add_column(heading, justify="left" if heading == "processes" else "right")
    with simulated_provider("--queue-s", str(LATENCY_S), "--tokens-per-s", "100000") as url:
        if options.only in (None, "verification"):
            _add(table, "verify", {n: _rate(url, _pools_that_verify(n), n, options.seconds) for n in (1, 2, 4)})
        if options.only in (None, "all"):
            _add(table, "do all steps", {n: _rate(url, _pools_of_all(n), n, options.seconds, ASKED) for n in (1, 2)})
        if options.only in (None, "beside"):
            rates = {n + 1: _rate(url, _pools_beside(n), 1, options.seconds, MOSTLY_CHECKED) for n in (0, 2)}
            _add(table, "of which all but one only verify", rates)
    Console(width=120).print(table)
    Console(width=120).print(f"{psutil.cpu_count()} cores; the provider and the clients are not counted")


def _pools_that_verify(processes: int) -> dict[str, Any]:
    return _beside({
        "verification": {"queues": ["verification"], "concurrency": 16, "processes": processes},
        "rest": {"queues": [*_BEFORE_CHECKS, *_REST], "concurrency": 2},
    })  # fmt: skip


def _pools_of_all(processes: int) -> dict[str, Any]:
    queues = [*_BEFORE_CHECKS, "verification", *_REST]
    return _beside({"queries": {"queues": queues, "concurrency": 32, "processes": processes}})


def _pools_beside(helpers: int) -> dict[str, Any]:
    helping = {"queues": ["verification"], "concurrency": 32, "processes": helpers}
    return _pools_of_all(1) | ({"helpers": helping} if helpers else {})


def _beside(pools: dict[str, Any]) -> dict[str, Any]:
    return pools | {name: {"queues": [name], "concurrency": 2} for name in ("ingestion", "webhooks")}


def _rate(
    provider: str, pools: Mapping[str, Any], processes: int, seconds: float, load: Mapping[str, Any] = GIVEN
) -> Rate:
    environment = {
        **asking(provider),
        "CITEWELL_POOLS": json.dumps(pools),
        "CITEWELL_MODELS__CONCURRENCY": str(CALLS_IN_FLIGHT),
        "CITEWELL_ADMISSION__IN_FLIGHT_PER_PROCESS": str(PLACES),
        "CITEWELL_VERIFICATION__MAX_CRAG_ATTEMPTS": "0",
    }
    with metered_stack(environment) as (stack, meter):
        stack.add_file(DOCUMENT, workspace="bench")
        forget(provider)
        return asyncio.run(_loaded(stack, meter, provider, processes * PLACES + 2, seconds, load))


async def _loaded(
    stack: Stack, meter: Meter, provider: str, clients: int, seconds: float, load: Mapping[str, Any]
) -> Rate:
    path = "/v1/queries" if "question" in load else "/v1/verifications"
    ends = list[float]()

    async def client(http: httpx.AsyncClient) -> None:
        while True:
            accepted = (await http.post(path, json=load)).raise_for_status().json()
            status = "queued"
            while status in ("queued", "running"):
                found = await http.get(f"{path}/{accepted['id']}", params={"wait": 60})
                status = found.raise_for_status().json()["status"]
            ends.append(time.time())

    async with httpx.AsyncClient(base_url=str(stack.http.base_url), timeout=90) as http:
        crowd = [asyncio.create_task(client(http)) for _ in range(clients)]
        await asyncio.sleep(WARMING_S)
        began, before = time.time(), meter.read()
        await asyncio.sleep(seconds)
        spent, ended = cost(before, meter.read(), 1), time.time()
        for task in crowd:
            task.cancel()
        failed = [each for each in await asyncio.gather(*crowd, return_exceptions=True) if isinstance(each, Exception)]
    if failed:
        raise failed[0]
    calls = [call for call in ledger(provider) if began <= call["at"] < ended]
    elapsed = ended - began
    done = sum(began <= at < ended for at in ends)
    return Rate(len(calls) / elapsed, done / elapsed, sum(spent.cpu_ms.values()) / 1000 / elapsed, spent.others_cores)


def _add(table: Table, what: str, rates: Mapping[int, Rate]) -> None:
    base = rates[1].calls
    for processes, rate in rates.items():
        cells: Sequence[str] = (
            f"{rate.calls:.2f}",
            f"{rate.calls / (processes * base):.0%}",
            f"{rate.ended:.2f}",
            f"{rate.cores:.2f}",
            f"{rate.others:.2f}",
        )
        table.add_row(f"{processes} {what}", *cells)
    table.add_section()


if __name__ == "__main__":
    main()
