"""`python -m benchmarks.cost.call_cost`: what one model call costs this process, layer by layer.

CPU-milliseconds per call with 20 calls in flight against the simulated provider, which is another process; and Redis
commands per call. Every call asks something else, as the calls of a query do. Compare the rows, not machines.
"""

import argparse
import asyncio
import cProfile
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import aiohttp
from pydantic import SecretStr
from redis import Redis
from rich.console import Console
from rich.table import Table

from benchmarks.load import limiter_worker
from benchmarks.load.limiter_worker import FAST
from citewell_verify.prompting.judgements import CHECK_STATEMENT, StatementCheck
from clients.limiter import make_limiter
from clients.llm.calling.reply_cache import Begun, CachedReply
from clients.llm.completions.request_body import request_body
from clients.llm.factory import make_model
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallLog, ModelRequest
from config.models import ModelLimits, ModelSettings
from config.settings import Settings
from tests.clients.limiter.own_redis import OwnRedis
from tests.simulators.groq.server import KEY

IN_FLIGHT = 20
ROOT = Path(__file__).resolve().parents[3]

Ask = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Row:
    """Medians over the rounds, per call."""

    name: str
    cpu_ms: float
    commands: float


class MemoryStore:
    """A ReplyStore that is always empty, so that every call is made."""

    async def get(self, keys: Sequence[bytes], begun: Begun = None) -> Mapping[bytes, CachedReply]:
        del keys
        return {}

    async def put(self, key: bytes, reply: CachedReply) -> None:
        """Ignore the reply."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost.call_cost", description=__doc__)
    parser.add_argument("--calls", type=int, default=500, help="per round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="one row alone")
    parser.add_argument("--profile", type=Path, help="where cProfile writes what the row took")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, OwnRedis(Path(folder)) as redis, _simulator() as url:
        scene = Scene(url, redis.url)
        rows = [
            scene.measure(name, options.calls, options.rounds, options.profile)
            for name in LAYERS
            if options.only in (None, name)
        ]
    _print(rows)


class Scene:
    """A provider at `url` and a Redis."""

    def __init__(self, url: str, redis_url: str) -> None:
        self.url = url
        self._redis_url = redis_url

    def settings(self, **models: Any) -> Settings:
        """Return settings with limits too high to be reached."""
        plenty = ModelLimits(requests_per_minute=10**6, requests_per_day=10**9, tokens_per_minute=10**9)
        known = ModelSettings().catalogue
        catalogue = {name: info.model_copy(update={"limits": plenty}) for name, info in known.items()}
        return Settings(
            redis_url=SecretStr(self._redis_url),
            groq_api_key=SecretStr(KEY),
            groq_base_url=self.url,
            models=ModelSettings.model_validate({"provider": "groq", "catalogue": catalogue, **models}),
        )

    def measure(self, name: str, calls: int, rounds: int, profile: Path | None) -> Row:
        async def play() -> list[tuple[float, float]]:
            async with LAYERS[name](self) as ask:
                await _all(ask, IN_FLIGHT * 3)
                return [await self._round(ask, calls, profile) for _ in range(rounds)]

        figures = asyncio.run(play())
        cpu, commands = (statistics.median(column) / calls for column in zip(*figures, strict=True))
        return Row(name, cpu * 1000, commands)

    async def _round(self, ask: Ask, calls: int, profile: Path | None) -> tuple[float, float]:
        before, started = self._commands(), time.process_time()
        if profile:
            with cProfile.Profile() as profiler:
                await _all(ask, calls)
            profiler.dump_stats(profile)
        else:
            await _all(ask, calls)
        seconds = time.process_time() - started
        return seconds, self._commands() - before - 1

    def _commands(self) -> int:
        client: Any = Redis.from_url(self._redis_url)  # pyright: ignore[reportUnknownMemberType]
        with client:
            return int(client.info("stats")["total_commands_processed"])


def request() -> ModelRequest:
    """Return a check of a statement as the pipeline asks for it."""
    return replace(limiter_worker.request(words=100), max_tokens=CHECK_STATEMENT.max_tokens)


async def _all(ask: Ask, calls: int) -> None:
    left = iter(range(calls))

    async def work() -> None:
        for _ in left:
            await ask()

    await asyncio.gather(*(work() for _ in range(IN_FLIGHT)))


@asynccontextmanager
async def _bare(scene: Scene) -> AsyncGenerator[Ask]:
    info = ModelSettings().catalogue[FAST]
    headers = {"authorization": f"Bearer {KEY}"}
    async with aiohttp.ClientSession(headers=headers) as session:

        async def ask() -> None:
            body = request_body(request(), info)
            async with session.post(f"{scene.url}/openai/v1/chat/completions", json=body) as answer:
                answer.raise_for_status()
                await answer.json()

        yield ask


def _alone(client: str) -> Callable[[Scene], Any]:
    @asynccontextmanager
    async def layer(scene: Scene) -> AsyncGenerator[Ask]:
        model = make_model(scene.settings(client=client))
        try:
            yield lambda: model.complete(request())
        finally:
            await model.aclose()

    return layer


def _gateway(*, limited: bool = False, kept: bool = False, **models: Any) -> Callable[[Scene], Any]:
    @asynccontextmanager
    async def layer(scene: Scene) -> AsyncGenerator[Ask]:
        settings = scene.settings(**models)
        model = make_model(settings)
        limiter = make_limiter(settings) if limited else None
        gateway = ModelGateway(model, settings.models, limiter=limiter, replies=MemoryStore() if kept else None)

        async def ask() -> None:
            log = CallLog()
            reply = await gateway.ask(CHECK_STATEMENT, request().fields, log=log, item=secrets.token_hex(2))
            if not isinstance(reply, StatementCheck):
                raise SystemExit(f"benchmark: {reply.reason}")

        try:
            yield ask
        finally:
            if limiter:
                await limiter.aclose()
            await model.aclose()

    return layer


@asynccontextmanager
async def _nothing(scene: Scene) -> AsyncGenerator[Ask]:
    del scene

    async def ask() -> None:
        request()

    yield ask


LAYERS: dict[str, Callable[[Scene], Any]] = {
    "the question alone": _nothing,
    "bare aiohttp": _bare,
    "sdk": _alone("sdk"),
    "lean": _alone("lean"),
    "gateway": _gateway(),
    "gateway, kept": _gateway(kept=True),
    "gateway, kept, limiter": _gateway(kept=True, limited=True),
    "the same with the sdk": _gateway(kept=True, limited=True, client="sdk"),
}


@contextmanager
def _simulator() -> Generator[str]:
    command = [sys.executable, "-m", "tests.simulators.groq", "--unlimited"]
    command += ["--queue-s", "0.1", "--tokens-per-s", "5000"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        try:
            yield (process.stdout or sys.stdin).readline().strip()
        finally:
            process.terminate()


def _print(rows: list[Row]) -> None:
    table = Table(title=f"one model call, {IN_FLIGHT} in flight")
    for heading in ("layer", "CPU-ms", "Redis commands"):
        table.add_column(heading, justify="left" if heading == "layer" else "right")
    for row in rows:
        table.add_row(row.name, f"{row.cpu_ms:.2f}", f"{row.commands:.1f}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
