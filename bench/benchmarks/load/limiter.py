"""`python -m benchmarks.load.limiter`: how much of an allowance several workers use, and how often they are refused.

Four processes keep a backlog of calls to the simulated provider, whose tokens per minute are a leaky bucket as the real
one's. The share is what drained from that bucket over what could have drained: 100 % is a bucket that was never empty.
It is measured after the bucket has filled for the first time, so that the burst at the start does not count.
Refusals are counted from the first call on.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.clients.limiter.own_redis import OwnRedis
from tests.simulators.groq.latency import LatencyModel
from tests.simulators.groq.limits import Bucket, Limits
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import KEY, GroqSimulator

FAST = "openai/gpt-oss-20b"
PROCESSES, IN_FLIGHT = 4, 16
TPM = 250_000
_FULL = 0.9
_FILLS_WITHIN_S = 60.0
_TICK_S = 0.25
ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Row:
    """One policy's outcome."""

    policy: str
    seconds: float
    share: float
    answered: int
    refused: int


class Fleet:
    """The worker processes of one row."""

    def __init__(self, base_url: str, redis_url: str, policy: str, words: int) -> None:
        where = [base_url, redis_url, KEY, str(words)]
        self._command = [sys.executable, "-m", "benchmarks.load.limiter_worker", policy, *where]
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, count: int) -> None:
        command = [*self._command, str(IN_FLIGHT)]
        self._running += [subprocess.Popen(command, cwd=ROOT) for _ in range(count)]  # noqa: S603 - our own module

    def kill_one(self) -> None:
        """Kill the oldest process with SIGKILL and start another one in its place."""
        oldest = self._running.pop(0)
        oldest.kill()
        oldest.wait()
        self.start(1)

    def stop(self) -> None:
        for process in self._running:
            process.kill()
        for process in self._running:
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load.limiter", description=__doc__)
    parser.add_argument("--minutes", type=float, default=2.0, help="of each row, after the bucket has filled")
    parser.add_argument("--kill", action="store_true", help="also with a process killed every 30 s and Redis restarted")
    parser.add_argument("--only", choices=["bare", "ours", "killed"], help="one row alone")
    parser.add_argument("--words", type=int, default=100, help="of a passage, at most; few make many calls")
    options = parser.parse_args()
    wanted = [options.only] if options.only else ["bare", "ours", *(["killed"] if options.kill else [])]
    rows = [_measure(name, options.minutes * 60, options.words) for name in wanted]
    _print(rows)


_NAMES = {
    "bare": "no limiter, honours retry-after",
    "ours": "reserve and settle",
    "killed": "the same, a kill every 30 s, Redis restarted once",
}


def _measure(name: str, seconds: float, words: int) -> Row:
    with _stage(name, words) as (simulator, redis, fleet):
        fleet.start(PROCESSES)
        bucket = _bucket(simulator)
        _until(lambda: _filled(bucket), _FILLS_WITHIN_S)
        started = time.monotonic()
        drained = _drained(bucket, started)
        disturb = _Disturbance(fleet, redis, seconds) if name == "killed" else None
        while (elapsed := time.monotonic() - started) < seconds:
            time.sleep(_TICK_S)
            if disturb:
                disturb.tick(elapsed)
        ended = time.monotonic()
        share = (_drained(bucket, ended) - drained) / (TPM / 60 * (ended - started))
        statuses = [entry.status for entry in simulator.ledger.entries]
        return Row(_NAMES[name], seconds, share, statuses.count(200), statuses.count(429))


class _Disturbance:
    """Kills a process every 30 seconds, and Redis once, in the middle."""

    def __init__(self, fleet: Fleet, redis: OwnRedis, seconds: float) -> None:
        self._fleet, self._redis = fleet, redis
        self._next_kill, self._restart_at = 10.0, seconds / 2

    def tick(self, elapsed: float) -> None:
        if elapsed >= self._next_kill:
            self._next_kill += 30.0
            self._fleet.kill_one()
        if elapsed >= self._restart_at:
            self._restart_at = float("inf")
            self._redis.kill()
            self._redis.start()


@contextmanager
def _stage(name: str, words: int) -> Generator[tuple[GroqSimulator, OwnRedis, Fleet]]:
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        redis = stack.enter_context(OwnRedis(Path(folder)))
        account = Account("org_bench", Limits(rpm=None, rpd=None, tpm=TPM))
        simulator = stack.enter_context(
            GroqSimulator(time_scale=1.0, accounts={KEY: account}, latency=LatencyModel(queue_s=0.23))
        )
        fleet = Fleet(simulator.base_url, redis.url, "bare" if name == "bare" else "ours", words)
        stack.callback(fleet.stop)
        yield simulator, redis, fleet


def _bucket(simulator: GroqSimulator) -> Bucket:
    account = simulator.provider.accounts[KEY]
    (bucket,) = simulator.provider.meter(account, FAST).buckets
    return bucket


def _drained(bucket: Bucket, now: float) -> float:
    # The bucket belongs to the simulator's thread, so it is only read.
    return bucket.drained + min(bucket.level, (now - bucket.at) * bucket.limit / bucket.window_s)


def _filled(bucket: Bucket) -> bool:
    return bucket.level >= _FULL * bucket.limit


def _until(done: Callable[[], bool], within_s: float) -> None:
    ends_at = time.monotonic() + within_s
    while not done():
        if time.monotonic() > ends_at:
            raise SystemExit("benchmark: the workers did not use up the allowance; the machine is too slow")
        time.sleep(_TICK_S)


def _print(rows: list[Row]) -> None:
    table = Table(title=f"{PROCESSES} processes, {TPM:,} tokens a minute, {IN_FLIGHT} calls in flight each")
    for heading in ("policy", "seconds", "share used", "calls", "429s", "per 10,000 calls"):
        table.add_column(heading, justify="left" if heading == "policy" else "right")
    for row in rows:
        per = row.refused / max(1, row.answered + row.refused) * 10_000
        cells = (f"{row.seconds:.0f}", f"{row.share:.1%}", f"{row.answered}", f"{row.refused}", f"{per:.1f}")
        table.add_row(row.policy, *cells)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
