"""A whole Citewell with a worker process per kind of work, so that each can be killed alone, and all that it talks to:
a simulated provider, a receiver of webhooks, and the failpoints."""

import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis import Redis

from citewell.supervisor.apps import app_processes, fork_server_process
from citewell.supervisor.home import temporary_home
from citewell.supervisor.processes.process import ProcessSpec
from citewell.supervisor.servers.endpoints import free_port
from citewell.supervisor.supervisor import Supervisor
from config.settings import Settings
from tests.e2e.stack import Stack
from tests.faults.books import Books
from tests.faults.failpoints import FOLDER, Failpoints
from tests.faults.wrapped import CLOCK, HOOKS
from tests.simulators.groq.limits import Limits
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import KEY, GroqSimulator
from tests.simulators.sink import Sink

POLICY = (
    "Refund policy. All returns must be made within 30 days of the purchase date. A receipt is required for every "
    "return. Refunds are paid to the original payment method within 10 business days."
)
QUESTION = "Within how many days must returns be made?"
EXPECTED = "30 days"
WORKSPACE = "faults"

_TICK_S = 0.03
_POOLS: dict[str, dict[str, Any]] = {
    "retrieval": {"queues": ["retrieval"], "concurrency": 4},
    "reranking": {"queues": ["reranking"], "concurrency": 16},
    "citations": {"queues": ["citations"], "concurrency": 16},
    "generation": {"queues": ["generation"], "concurrency": 8},
    "verification": {"queues": ["verification"], "concurrency": 32},
    "ingestion": {"queues": ["ingestion"], "pool": "prefork", "concurrency": 1},
    # A second process that checks: somebody must be able to take over from one that is stopped, and a query that is
    # started again passes through all other queues.
    "webhooks": {"queues": ["webhooks", "verification"], "concurrency": 32},
    "maintenance": {"queues": ["maintenance", "graph"], "concurrency": 4},
}
POOLS = tuple(_POOLS)
_STEPS = ["retrieval", "reranking", "citations", "generation", "verification", "graph", "maintenance"]
IN_PLACE: Mapping[str, Mapping[str, Any]] = {
    "queries": {"queues": _STEPS, "concurrency": 32, "processes": 2},
    "ingestion": {"queues": ["ingestion"], "pool": "prefork", "concurrency": 1},
    "webhooks": {"queues": ["webhooks"], "concurrency": 8},
}
"""Other pools: every process does all steps of a question, as on a laptop."""
QUICK: Mapping[str, str] = {
    "CITEWELL_RECOVERY__LEASE_S": "2",
    "CITEWELL_RECOVERY__HEARTBEAT_S": "0.5",
    "CITEWELL_RECOVERY__CHECK_S": "0.5",
    # So many processes never die in one minute elsewhere.
    "CITEWELL_RECOVERY__MAX_LAUNCHES": "40",
    "CITEWELL_RECOVERY__MAX_ATTEMPTS": "40",
    # A second copy of a late call is no fault, and each query is to pay for its own.
    "CITEWELL_MODELS__HEDGE_SHARE": "0",
    "CITEWELL_MODELS__SHARE_REPLIES": "false",
}
"""Leases so short that a test does not wait for long."""


@dataclass(frozen=True)
class Calm:
    """What one query does when nothing goes wrong: the calls it makes by kind of prompt, and what comes of it."""

    calls: Counter[str]
    answer: str
    sentences: list[str]


@dataclass
class Rig:
    """Everything that runs. From the main thread: what is killed here is started again by `pump`."""

    supervisor: Supervisor
    stack: Stack
    simulator: GroqSimulator
    sink: Sink
    points: Failpoints
    folder: Path
    books: Books
    calm: Calm = field(init=False)

    def pump(self, until: Callable[[], bool], seconds: float, *, revive: bool = True) -> bool:
        """Keep everything running until something holds; False when it does not within `seconds`."""
        deadline = time.monotonic() + seconds
        while not until():
            if time.monotonic() > deadline:
                return False
            if revive:
                self.supervisor.revive(at_once=True)
            time.sleep(_TICK_S)
        return True

    def idle(self, seconds: float, *, revive: bool = True) -> None:
        """Keep everything running for a while."""
        self.pump(lambda: False, seconds, revive=revive)

    def signal(self, name: str, number: signal.Signals = signal.SIGKILL) -> float:
        """Send a signal to one of its processes; return when."""
        at = time.time()
        os.kill(self.pid(name), number)
        return at

    def pid(self, name: str) -> int:
        """The process id of what runs under this name."""
        pid = self.supervisor.pids[name]
        assert pid is not None, f"{name} does not run"
        return pid

    def broker(self) -> Any:
        """A client of the broker; close it."""
        return Redis.from_url(self.supervisor.redis_url, socket_timeout=5)  # pyright: ignore[reportUnknownMemberType]

    def all_up(self) -> bool:
        """Whether every process lives, and workers of all pools have been started for long enough to consume."""
        return all(pid is not None for pid in self.supervisor.pids.values())

    def duplicate(self, *, wanted: bool) -> None:
        """Switch the double delivery of every message on or off."""
        switch = self.folder / "duplicate"
        switch.touch() if wanted else switch.unlink(missing_ok=True)

    def measure_calm(self) -> None:
        """Ask once in peace."""
        before = len(self.simulator.ledger.entries)
        query = self.stack.ask(QUESTION, workspace=WORKSPACE)
        assert query["status"] == "succeeded", query
        assert EXPECTED in query["answer"], query
        calls = Counter(entry.kind for entry in self.simulator.ledger.entries[before:])
        self.calm = Calm(calls, query["answer"], [s["status"] for s in query["verification"]["sentences"]])


@contextmanager
def running_rig(
    environment: Mapping[str, str] = QUICK,
    *,
    simulator: GroqSimulator | None = None,
    clocks: Mapping[str, float] | None = None,
    root: Path | None = None,
) -> Generator[Rig]:
    """A rig that has ingested POLICY. `clocks` says by how many seconds the clock of a process is wrong.

    `root` is where the home is to be.
    """
    with (
        pytest.MonkeyPatch.context() as patch,
        temporary_home() if root is None else nullcontext(root / "home") as home,
        simulator or GroqSimulator(accounts={KEY: Account("org_faults", Limits.none())}) as provider,
        Sink() as sink,
    ):
        home.mkdir(mode=0o755, exist_ok=True)
        folder = home / "failpoints"
        points = Failpoints(folder)
        for name in [name for name in os.environ if name.startswith(("CITEWELL_", "GROQ_"))]:
            patch.delenv(name)
        for name, value in {**_environment(home, provider), FOLDER: str(folder), **environment}.items():
            patch.setenv(name, value)
        settings = Settings()
        port = free_port()
        specs = app_processes(settings, port)
        # A clock must be wrong before anything is imported.
        executed = {spec.name for spec in specs if spec.name in (clocks or {}) or sys.platform != "linux"}
        apps = [_wrapped(spec, (clocks or {}).get(spec.name, 0)) if spec.name in executed else spec for spec in specs]
        with (
            Supervisor(settings, port=port, apps=apps, forks=fork_server_process(HOOKS)) as supervisor,
            httpx.Client(base_url=supervisor.url, timeout=90) as http,
        ):
            stack, books = Stack(supervisor, http), Books(supervisor.database_url)
            rig = Rig(supervisor, stack, provider, sink, points, folder, books)
            stack.add_text("policy.md", POLICY, workspace=WORKSPACE)
            rig.measure_calm()
            yield rig


def variant(number: int) -> str:
    """QUESTION as nobody else writes it, so that no two queries send the same prompt: letters in upper case."""
    letters = [index for index, letter in enumerate(QUESTION) if letter.isalpha()]
    raised = {letters[bit] for bit in range(number.bit_length()) if number >> bit & 1}
    return "".join(letter.upper() if index in raised else letter for index, letter in enumerate(QUESTION))


def _environment(home: Path, simulator: GroqSimulator) -> dict[str, str]:
    return {
        "CITEWELL_HOME": str(home),
        "GROQ_API_KEY": KEY,
        "GROQ_BASE_URL": simulator.base_url,
        "CITEWELL_POOLS": json.dumps(_POOLS),
        "CITEWELL_GRAPH__EXTRACTOR": "off",
        # Only what hangs takes so long, also on a machine that has two cores for fifteen processes.
        "CITEWELL_MODELS__CALL_TIMEOUT_S": "6",
        "CITEWELL_MODELS__DEADLINE_S": "20",
        "CITEWELL_WEBHOOKS__ALLOWED_NETWORKS": '["127.0.0.0/8"]',
        "CITEWELL_WEBHOOKS__SCHEDULE_S": "[0, 0.5, 1, 1, 2, 2, 5]",
        "CITEWELL_WEBHOOKS__DEADLINE_S": "5",
        "CITEWELL_WEBHOOKS__IN_FLIGHT": "8",
        "CITEWELL_ACCESS__REQUESTS_PER_MINUTE": "100000",
    }


def _wrapped(spec: ProcessSpec, clock_s: float) -> ProcessSpec:
    """As a program of its own that has the failpoints in it."""
    interpreter, option, *rest = spec.argv
    assert (interpreter, option) == (sys.executable, "-m"), spec.argv
    argv = (interpreter, "-m", "tests.faults.wrapped", *rest)
    return replace(spec, argv=argv, env={**spec.env, CLOCK: str(clock_s)}, forked=False)
