"""Common part of all rivals' scripts: asking in a closed loop, and reporting in lines of JSON.

It needs nothing but Python, because it runs in environments without Citewell's packages. A script gets cells on its
standard input, `{"in_flight": 8, "seconds": 5, "queries": null}`, and answers each query with a line and each cell with
a last one. With --queries it does one cell and ends.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

DRAIN_S = 30.0
FAST, MAIN = "openai/gpt-oss-20b", "openai/gpt-oss-120b"


@dataclass
class Outcome:
    """The result of one query; `first_at` is when the first sentence had its verdict (`time.monotonic`)."""

    flagged: list[str] = field(default_factory=list)
    first_at: float | None = None
    grounded: bool | None = None
    """The verdict on the whole answer, where there is one."""


Ask = Callable[[], Awaitable[Outcome]]


@dataclass
class Work:
    """The work that a script is given."""

    base_url: str
    question: str
    passages: list[str]
    retrieved: int
    kept: int
    in_flight: int
    queries: int | None

    @property
    def found(self) -> list[str]:
        """Return the passages that retrieval finds."""
        return self.passages[: self.retrieved]


def read_work(*more: str) -> tuple[Work, argparse.Namespace]:
    """Read the command line; `more` are further options that take a value."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--base-url", required=True, help="of the models, with /v1")
    parser.add_argument("--passages", type=Path, required=True)
    parser.add_argument("--in-flight", type=int, default=1)
    parser.add_argument("--queries", type=int)
    for name in more:
        parser.add_argument(name)
    options = parser.parse_args()
    told = json.loads(options.passages.read_text(encoding="utf-8"))
    return Work(options.base_url, **told, in_flight=options.in_flight, queries=options.queries), options


async def serve(ask: Ask, work: Work) -> None:
    """Do the one cell of the command line, or those on the standard input until it ends."""
    if work.queries:
        await run_cell(ask, {"in_flight": work.in_flight, "seconds": 60.0, "queries": work.queries}, _say)
        return
    _say({"ready": True})
    while line := await asyncio.to_thread(sys.stdin.readline):
        await run_cell(ask, json.loads(line), _say)


async def run_cell(ask: Ask, cell: dict[str, Any], say: Callable[[dict[str, Any]], None]) -> None:
    """Keep this many queries in flight until time or queries are used up; wait for those that began."""
    began = time.monotonic()
    left = cell["queries"] or 10**9
    ended = 0

    async def client() -> None:
        nonlocal left, ended
        while left > 0 and time.monotonic() - began < cell["seconds"]:
            left -= 1
            say(await _asked(ask))
            ended += 1

    clients = [asyncio.create_task(client()) for _ in range(cell["in_flight"])]
    _, late = await asyncio.wait(clients, timeout=cell["seconds"] + DRAIN_S)
    for each in late:
        each.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    say({"cell": {"ended": ended, "unfinished": len(late), "seconds": time.monotonic() - began}})


async def _asked(ask: Ask) -> dict[str, Any]:
    began = time.monotonic()
    try:
        outcome, error = await ask(), ""
    except Exception as broken:  # noqa: BLE001 - a system that fails is a result of the comparison
        outcome, error = Outcome(), f"{type(broken).__name__}: {broken}"[:300]
    told = asdict(outcome)
    first_at = told.pop("first_at")
    first = None if first_at is None else first_at - began
    return {"began": began, "seconds": time.monotonic() - began, "first": first, "error": error, **told}


def _say(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)
