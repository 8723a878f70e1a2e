"""The same kinds of faults on Celery with its defaults, so that it can be seen what the design buys.

A run is given a minute after the fault; what has not ended by then is called lost.
"""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from redis import Redis
from redis.exceptions import RedisError

from citewell.supervisor.home import temporary_home
from citewell.supervisor.servers.pair import EmbeddedServers
from tests.faults.auditor import Verdict

RUNS, PATIENCE_S = 10, 60.0
_CONCURRENCY = 8
_SOURCE = Path(__file__).resolve().parents[2]

Strike = Callable[[EmbeddedServers, "_Worker"], None]


class _Worker:
    """One worker process with its children."""

    def __init__(self, redis_url: str) -> None:
        self._env = {**os.environ, "PLAIN_REDIS_URL": redis_url}
        self.process = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        argv = [sys.executable, "-m", "celery", "-A", "tests.faults.plain_app", "worker"]
        argv += ["--concurrency", str(_CONCURRENCY), "--without-mingle", "--without-gossip", "-l", "CRITICAL"]
        return subprocess.Popen(
            argv,
            env=self._env,
            cwd=_SOURCE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def kill_child(self) -> None:
        """Of the children one that works."""
        children = psutil.Process(self.process.pid).children()
        os.kill(children[0].pid, signal.SIGKILL)

    def kill(self) -> None:
        """All of it; and a new one."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process = self._start()

    def end(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def run_plain() -> list[Verdict]:
    """One verdict per fault."""
    faults: dict[str, Strike] = {
        "no fault": lambda _servers, _worker: None,
        "kill -9 of a child": lambda _servers, worker: worker.kill_child(),
        "kill -9 of the worker, started again": lambda _servers, worker: worker.kill(),
        "FLUSHALL": _flush,
        "Redis killed and restarted": _restart,
    }
    return [_run(name, strike) for name, strike in faults.items()]


def _run(name: str, strike: Strike) -> Verdict:
    with _plain() as (servers, worker, redis):
        _start_all(servers.redis_url)
        # Some have ended, some are in the middle, some wait.
        time.sleep(2)
        struck = time.time()
        strike(servers, worker)
        ended: list[int] = []
        verdict = Verdict(name, runs=1, accepted=RUNS)
        while len(set(ended)) < RUNS and time.time() - struck < PATIENCE_S:
            servers.fleet.revive(at_once=True)
            time.sleep(0.2)
            before = len(set(ended))
            ended += _taken(redis)
            verdict.end += [time.time() - struck] * (len(set(ended)) - before)
        verdict.progress = verdict.end[:1]
    verdict.lost = RUNS - len(set(ended))
    verdict.duplicated = sum(number > 1 for number in Counter(ended).values())
    return verdict


def _start_all(redis_url: str) -> None:
    code = f"from tests.faults.plain_app import start\nfor run in range({RUNS}): start(run)"
    env = {**os.environ, "PLAIN_REDIS_URL": redis_url}
    subprocess.run([sys.executable, "-c", code], env=env, cwd=_SOURCE, check=True, stderr=subprocess.DEVNULL)


def _taken(redis: Any) -> list[int]:
    try:
        found = redis.lrange("ended", 0, -1)
        redis.delete("ended")
    except RedisError:
        return []
    return [int(number) for number in found]


def _flush(servers: EmbeddedServers, _worker: _Worker) -> None:
    with Redis.from_url(servers.redis_url) as redis:  # pyright: ignore[reportUnknownMemberType]
        redis.flushall()  # pyright: ignore[reportUnknownMemberType]


def _restart(servers: EmbeddedServers, _worker: _Worker) -> None:
    [valkey] = [process for process in servers.fleet.processes if process.spec.name == "valkey"]
    valkey.kill()


@contextmanager
def _plain() -> Generator[tuple[EmbeddedServers, _Worker, Any]]:
    with temporary_home() as home, EmbeddedServers(home) as servers:
        worker = _Worker(servers.redis_url)
        redis: Any = Redis.from_url(servers.redis_url, socket_timeout=2)  # pyright: ignore[reportUnknownMemberType]
        try:
            time.sleep(6)
            yield servers, worker, redis
        finally:
            redis.close()
            worker.end()
