"""Overload on a busy machine: measures whether accepted work ends in time, and whether a person gets through.

A whole stack with its default places and the offline provider, so that this machine is the limit; `busy` processes that
only compute take their share of it. First ten times the possible rate is sent, whatever the responses; then one tenant
sends scripted questions, which are repeated as the server says, and one person asks beside them. The baseline of each
is measured just before it, beside the same processes.
"""

import asyncio
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from sqlalchemy import Connection, Row, TextClause, create_engine, text

from citewell.supervisor.home import home_at
from citewell.supervisor.servers.endpoints import running_database
from config.settings import settings
from tests.e2e.stack import Stack, running_stack

DEADLINE_S, TIMES = 60, 10
MOST_OPEN = 500
SCRIPTED, ASKED, ASKED_EVERY_S = 500, 10, 1.0
QUESTION = "Within how many days are returns accepted, and is a receipt required?"
_TEXT = "Returns are accepted within 30 days of the purchase date. A receipt is required. Refunds take 14 days."
_ENVIRONMENT = {"CITEWELL_GRAPH__EXTRACTOR": "off", "CITEWELL_BUDGET__DEADLINE_S": str(DEADLINE_S)}
_BURN = "import sys, time\nend = time.monotonic() + float(sys.argv[1])\nwhile time.monotonic() < end: pass"
_ENDED = text("""
    SELECT coalesce(error ->> 'code', status) AS how, extract(epoch FROM finished_at - created_at)::float AS seconds
    FROM queries WHERE id = ANY (:ids)
""")
_OPEN = text("SELECT count(*) AS n FROM queries WHERE finished_at IS NULL")
Rows = Sequence[tuple[str, str]]


@dataclass
class Told:
    """The server's responses to many submissions."""

    ids: list[str] = field(default_factory=list[str])
    refused: Counter[str] = field(default_factory=Counter[str])
    again_s: list[float] = field(default_factory=list[float])


class Bench:
    """A stack under load, and access to its database."""

    def __init__(self, http: aiohttp.ClientSession, database: Connection) -> None:
        self._http, self._database = http, database

    async def submit(self, told: Told, priority: str) -> str | None:
        """Submit one question; None when it was refused."""
        headers = {"Citewell-Priority": priority}
        async with self._http.post("/v1/queries", json={"question": QUESTION}, headers=headers) as answer:
            said = await answer.json(content_type=None)
        if answer.ok:
            told.ids.append(said["id"])
            return told.ids[-1]
        if again := answer.headers.get("retry-after"):
            told.again_s.append(float(again))
        told.refused[f"{answer.status} {said.get('code')}{'' if again else ' without Retry-After'}"] += 1
        return None

    async def answered(self, priority: str) -> float:
        """Ask and wait; return the seconds, infinite when the question was refused."""
        began = time.monotonic()
        query_id = await self.submit(Told(), priority)
        while query_id is not None:
            async with self._http.get(f"/v1/queries/{query_id}", params={"wait": 60}) as answer:
                said = await answer.json()
            if said["status"] in {"succeeded", "failed"}:
                return time.monotonic() - began
        return float("inf")

    async def until_empty(self) -> None:
        """Wait until nothing waits or runs any more."""
        while self._read(_OPEN)[0].n:
            await asyncio.sleep(0.5)

    def ended(self, ids: Sequence[str]) -> list[tuple[str, float | None]]:
        """Return how each of them ended, and after how many seconds; None for unfinished ones."""
        return [(row.how, row.seconds) for row in self._read(_ENDED, ids=list(ids))]

    def _read(self, statement: TextClause, **values: Any) -> Sequence[Row[Any]]:
        with self._database.begin():
            self._database.execute(text("SELECT set_config('citewell.system', 'on', true)"))
            return self._database.execute(statement, values).all()


async def overload(bench: Bench, minutes: float) -> Rows:
    """Send ten times the possible rate, for this many minutes."""
    capacity = await _closed_loop(bench, 15)
    told, began, sent, unsent = Told(), time.monotonic(), 0, 0
    open_ = set[asyncio.Task[str | None]]()
    async with asyncio.TaskGroup() as crowd:
        while (now := time.monotonic() - began) < 60 * minutes:
            while sent < now * TIMES * capacity:
                sent += 1
                if len(open_) >= MOST_OPEN:
                    unsent += 1
                    continue
                open_.add(task := crowd.create_task(bench.submit(told, "batch")))
                task.add_done_callback(open_.discard)
            await asyncio.sleep(0.02)
    await bench.until_empty()
    ended = bench.ended(told.ids)
    late = sum(how == "deadline_exceeded" for how, _ in ended)
    others = sum(how not in {"succeeded", "deadline_exceeded"} for how, _ in ended)
    times = sorted(seconds or 0 for how, seconds in ended if how == "succeeded")
    again = f"{min(told.again_s)} to {max(told.again_s)} s" if told.again_s else "never told"
    return [
        ("baseline: closed loop", f"{capacity:.2f} q/s"),
        (f"at {TIMES}x for {minutes:g} min: succeeded", f"{len(times) / (time.monotonic() - began):.2f} q/s"),
        (f"sent / not, as {MOST_OPEN} waited for a word", f"{sent - unsent} / {unsent}"),
        ("accepted (202)", str(len(told.ids))),
        (f"of those deadline_exceeded ({DEADLINE_S} s)", f"{late} = {late / max(1, len(ended)):.1%}"),
        ("of those ended badly otherwise", str(others)),
        *((f"refused: {how}", str(count)) for how, count in told.refused.items()),
        ("Retry-After", again),
        ("accepted: p50 / p95", f"{statistics.median(times):.1f} s / {times[int(len(times) * 0.95)]:.1f} s"),
    ]


async def person(bench: Bench) -> Rows:
    """Measure a person who asks alone, then beside scripted questions of the same tenant."""
    alone = [await _after_a_pause(bench) for _ in range(ASKED)]
    told, began = Told(), time.monotonic()
    flood = asyncio.create_task(_flood(bench, told))
    await asyncio.sleep(8)
    beside: list[float] = []
    # This continues only while there are scripted questions, because after the last one the person would be alone
    # again.
    while len(beside) < ASKED and (not beside or _done(bench, told) < SCRIPTED):
        beside.append(await _after_a_pause(bench))
    seconds = time.monotonic() - began
    done = _done(bench, told)
    flood.cancel()
    await asyncio.wait([flood])
    await bench.until_empty()
    ended = Counter(how for how, _ in bench.ended(told.ids))
    ratio = statistics.median(beside) / statistics.median(alone)
    return [
        (f"baseline: a person alone, median of {ASKED} / longest", _times(alone)),
        (f"beside {SCRIPTED} scripted ones, median / longest", f"{_times(beside)} = {ratio:.2f}x the median"),
        ("of the scripted ones ended meanwhile", f"{done} = {done / seconds:.2f} q/s; the others waited or came again"),
        ("scripted: accepted / times refused", f"{len(told.ids)} / {sum(told.refused.values())}"),
        ("scripted: how they ended", ", ".join(f"{count} {how}" for how, count in ended.items())),
    ]


async def _closed_loop(bench: Bench, seconds: float) -> float:
    """Let four clients each ask and wait; return answers per second."""
    began, count = time.monotonic(), 0

    async def client() -> None:
        nonlocal count
        while time.monotonic() - began < seconds:
            await bench.answered("batch")
            count += 1

    await asyncio.gather(*(client() for _ in range(4)))
    return count / (time.monotonic() - began)


def _done(bench: Bench, told: Told) -> int:
    return sum(seconds is not None for _, seconds in bench.ended(told.ids))


async def _after_a_pause(bench: Bench) -> float:
    await asyncio.sleep(ASKED_EVERY_S)
    return await bench.answered("interactive")


async def _flood(bench: Bench, told: Told) -> None:
    """Send as fast as eight clients can, and repeat refused questions when the server says."""
    clients = asyncio.Semaphore(8)

    async def one() -> None:
        while True:
            async with clients:
                if await bench.submit(told, "batch"):
                    return
                again_s = told.again_s[-1] if told.again_s else 1
            await asyncio.sleep(again_s)

    await asyncio.gather(*(one() for _ in range(SCRIPTED)))


def _times(times: Sequence[float]) -> str:
    return f"{statistics.median(times):.2f} s / {max(times):.2f} s"


@contextmanager
def _burning(processes: int, seconds: float) -> Generator[None]:
    """Run this many processes that only compute; they end by themselves when this one dies."""
    burners = [subprocess.Popen([sys.executable, "-c", _BURN, str(seconds)]) for _ in range(processes)]  # noqa: S603
    try:
        yield
    finally:
        for burner in burners:
            burner.terminate()
            burner.wait()


def measure_busy(busy: int, minutes: float, show: Callable[[str, Rows], None]) -> None:
    """Make both measurements beside `busy` computing processes; `show` is called with the title and the rows of
    each."""
    with running_stack(**_ENVIRONMENT) as stack:
        settings.cache_clear()
        url = running_database(home_at(settings().home)) or ""
        with create_engine(url).connect() as database, _burning(busy, 1_200):
            stack.add_text("returns.md", _TEXT, workspace="default")
            asyncio.run(_both(stack, database, minutes, lambda title, rows: show(f"{title}, {busy} busy", rows)))


async def _both(stack: Stack, database: Connection, minutes: float, show: Callable[[str, Rows], None]) -> None:
    # A client that uses few resources of the machine, however many requests wait.
    connector, timeout = aiohttp.TCPConnector(limit=0), aiohttp.ClientTimeout(total=120)
    url = str(stack.http.base_url)
    async with aiohttp.ClientSession(base_url=url, connector=connector, timeout=timeout) as http:
        bench = Bench(http, database)
        await _closed_loop(bench, 5)
        show(f"A person beside {SCRIPTED} scripted questions", await person(bench))
        show(f"{TIMES} times of what can be done", await overload(bench, minutes))
