"""`python -m benchmarks.load.overload`: what Citewell does with ten times the work that it can do, as tables.

A whole stack verifies answers with a simulated provider that is slow, so that its few places, and not this machine, are
the limit. First the capacity, closed-loop; then ten times that rate, whatever comes back; then how long the backlog
takes to empty; then ten tenants of whom one floods. Rates and shares are of this run; machines are noisy.

With `--busy N` instead: this machine is the limit, and N processes that only compute share it (overload_busy).
"""

import argparse
import asyncio
import os
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import httpx
from rich.console import Console
from rich.table import Table
from sqlalchemy import Connection, create_engine, text

from benchmarks.load.overload_busy import measure_busy
from citewell.supervisor.home import home_at
from citewell.supervisor.servers.endpoints import running_database
from config.settings import settings
from domain.keys import Scope
from services.operations.api_keys import NewKey, create_key_for
from tests.e2e.stack import running_stack
from tests.simulators.groq.latency import LatencyModel
from tests.simulators.groq.limits import Limits
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import KEY, GroqSimulator

PLACES, MAX_WAIT_S, TIMES = 3, 12.0, 10
QUIET, QUIET_EVERY_S = 9, 15.0
GIVEN = {
    "answer": "Returns are accepted within 30 days [1].",
    "sources": [{"text": "Returns are accepted within 30 days of the purchase date."}],
}
_ENVIRONMENT = {
    "GROQ_API_KEY": KEY,
    "CITEWELL_GRAPH__EXTRACTOR": "off",
    "CITEWELL_ADMISSION__IN_FLIGHT_PER_PROCESS": str(PLACES),
    "CITEWELL_ADMISSION__MAX_WAIT_S": str(MAX_WAIT_S),
}
_TIMES = text("""
    SELECT extract(epoch FROM finished_at - created_at)::float, extract(epoch FROM started_at - created_at)::float
    FROM queries WHERE id = ANY (:ids) AND status = 'succeeded'
""")
_ENDED = text("SELECT count(*) FROM queries WHERE status = 'succeeded' AND finished_at > to_timestamp(:since)")
_OPEN = text("SELECT count(*) FROM queries WHERE finished_at IS NULL")


@dataclass
class Answers:
    """The server's responses to many submissions."""

    ids: list[str] = field(default_factory=list[str])
    refused: Counter[str] = field(default_factory=Counter[str])


class Bench:
    """A stack under load, and access to its database."""

    def __init__(self, http: httpx.AsyncClient, database: Connection) -> None:
        self._http, self._database = http, database

    async def submit(self, answers: Answers, key: str | None = None) -> str | None:
        """Submit one answer; None when it was refused."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        answer = await self._http.post("/v1/verifications", json=GIVEN, headers=headers)
        if answer.is_success:
            answers.ids.append(answer.json()["id"])
            return answers.ids[-1]
        told = " ".join(filter(None, [str(answer.status_code), answer.json().get("code")]))
        answers.refused[told if "retry-after" in answer.headers else f"{told} without Retry-After"] += 1
        return None

    async def closed_loop(self, seconds: float) -> float:
        """Let as many clients as there are places, and one more, each submit and wait; return ends per second."""
        until = time.monotonic() + seconds

        async def client() -> None:
            while time.monotonic() < until:
                if query_id := await self.submit(Answers()):
                    await self._http.get(f"/v1/verifications/{query_id}", params={"wait": 60})

        began = time.time()
        await asyncio.gather(*(client() for _ in range(PLACES + 2)))
        return self.ended(began) / (time.time() - began)

    async def open_loop(self, per_second: float, seconds: float, send: Callable[[], Awaitable[object]]) -> None:
        """Send at this rate, whatever the responses."""
        began, sent = time.monotonic(), 0
        async with asyncio.TaskGroup() as crowd:
            while (now := time.monotonic() - began) < seconds:
                while sent < now * per_second:
                    crowd.create_task(_sent(send))
                    sent += 1
                await asyncio.sleep(0.02)

    async def until_empty(self) -> float:
        """Return the seconds until nothing waits or runs any more."""
        began = time.monotonic()
        while self._count(_OPEN):
            await asyncio.sleep(0.1)
        return time.monotonic() - began

    def ended(self, since: float) -> int:
        return self._count(_ENDED, since=since)

    def times(self, answers: Answers) -> list[tuple[float, float]]:
        """Return (from acceptance to the end, from acceptance to the start) of those that succeeded."""
        with self._database.begin():
            _for_all(self._database)
            return [(row[0], row[1]) for row in self._database.execute(_TIMES, {"ids": answers.ids})]

    def _count(self, statement: Any, **values: float) -> int:
        with self._database.begin():
            _for_all(self._database)
            return self._database.execute(statement, values).scalar_one()


async def _sent(send: Callable[[], Awaitable[object]]) -> None:
    await send()


def _for_all(database: Connection) -> None:
    database.execute(text("SELECT set_config('citewell.system', 'on', true)"))


async def _crowd(bench: Bench, capacity: float, seconds: float) -> list[tuple[str, str]]:
    answers, began = Answers(), time.time()
    await bench.open_loop(TIMES * capacity, seconds, lambda: bench.submit(answers))
    goodput = bench.ended(began) / (time.time() - began)
    recovered = await bench.until_empty()
    times = bench.times(answers)
    whole, waits = [each for each, _ in times], [wait for _, wait in times]
    return [
        ("capacity, closed loop", f"{capacity:.2f} q/s"),
        (f"goodput at {TIMES}x for {seconds:.0f} s", f"{goodput:.2f} q/s = {goodput / capacity:.0%}"),
        ("accepted (202), all ended well", f"{len(answers.ids)}, {'yes' if len(times) == len(answers.ids) else 'NO'}"),
        *((f"refused: {told}", str(count)) for told, count in answers.refused.items()),
        ("accepted: p50 / p95", f"{statistics.median(whole):.1f} s / {_p95(whole):.1f} s"),
        (f"longest wait for the start (limit {MAX_WAIT_S:g} s)", f"{max(waits):.1f} s"),
        ("accepted that waited longer than the limit", f"{sum(wait > MAX_WAIT_S for wait in waits)}"),
        ("backlog empty after", f"{recovered:.1f} s"),
    ]


async def _tenants(bench: Bench, capacity: float, keys: Sequence[str], seconds: float) -> list[tuple[str, str]]:
    async def quiet(answers: Answers) -> None:
        async def one(place: int, key: str) -> None:
            await asyncio.sleep(place * QUIET_EVERY_S / QUIET)
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                await bench.submit(answers, key)
                await asyncio.sleep(QUIET_EVERY_S)

        await asyncio.gather(*(one(place, key) for place, key in enumerate(keys[1:])))
        await bench.until_empty()

    solo, beside, flood = Answers(), Answers(), Answers()
    await quiet(solo)
    flooding = asyncio.create_task(
        bench.open_loop(TIMES * capacity, seconds + QUIET_EVERY_S, lambda: bench.submit(flood, keys[0]))
    )
    await asyncio.sleep(2)
    await quiet(beside)
    await flooding
    await bench.until_empty()
    alone, crowded = (_p95([each for each, _ in bench.times(answers)]) for answers in (solo, beside))
    return [
        ("others' p95 without the flood", f"{alone:.2f} s of {len(solo.ids)}"),
        ("others' p95 beside it", f"{crowded:.2f} s of {len(beside.ids)} = {crowded / alone:.2f}x"),
        ("others refused", str(sum(beside.refused.values()))),
        ("the flood: accepted / refused", f"{len(flood.ids)} / {sum(flood.refused.values())}"),
    ]


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


async def _run(url: str, database: Connection, keys: Sequence[str], minutes: float) -> None:
    limits = httpx.Limits(max_connections=200)
    async with httpx.AsyncClient(base_url=url, timeout=90, limits=limits) as http:
        bench, seconds = Bench(http, database), 60 * minutes
        await bench.closed_loop(5)
        capacity = await bench.closed_loop(max(15, seconds / 4))
        _print("One tenant", await _crowd(bench, capacity, seconds))
        _print("Ten tenants, one floods", await _tenants(bench, capacity, keys, seconds))


def _print(title: str, rows: Sequence[tuple[str, str]]) -> None:
    table = Table("what", "measured", title=title)
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=2.0, help="of overload")
    parser.add_argument("--busy", type=int, metavar="N", help="beside N processes that only compute, 0 or more")
    asked = parser.parse_args()
    if asked.busy is not None:
        measure_busy(asked.busy, asked.minutes, _print)
        return
    minutes = asked.minutes
    simulator = GroqSimulator(
        time_scale=1.0,
        accounts={KEY: Account("org_bench", Limits.none())},
        latency=LatencyModel(queue_s=0.6, spread=0.0, tail=0.0),
    )
    with simulator, running_stack(GROQ_BASE_URL=simulator.base_url, **_ENVIRONMENT) as stack:
        settings.cache_clear()
        url = running_database(home_at(settings().home)) or ""
        with patch.dict(os.environ, CITEWELL_DATABASE_URL=url), create_engine(url).connect() as database:
            settings.cache_clear()
            new = NewKey("bench", [Scope.ASK, Scope.READ], requests_per_minute=1_000_000)
            keys = [create_key_for(f"tenant-{number}", new)["key"] for number in range(QUIET + 1)]
            asyncio.run(_run(str(stack.http.base_url), database, keys, minutes))


if __name__ == "__main__":
    main()
