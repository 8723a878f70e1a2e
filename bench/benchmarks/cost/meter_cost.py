"""Readings of a stack's counters, and the cost that follows from two of them."""

from collections.abc import Mapping
from dataclasses import dataclass

SERVERS = ("postgres", "valkey")
NO_WORKERS = (*SERVERS, "api", "forkserver")


@dataclass(frozen=True, slots=True)
class Reading:
    """The counters at one moment. `cpu_s` and `memory` (bytes of its own, without what it shares with others) are by
    process of the supervisor. `requests` is how often Redis read something from a client: a command, a script with all
    that it runs, or a pipeline; `switches` how often a thread of a worker gave up its core to wait."""

    at: float
    cpu_s: Mapping[str, float]
    memory: Mapping[str, int]
    own_cpu_s: float
    machine_cpu_s: float
    commands: Mapping[str, int]
    requests: int
    statements: int
    transactions: int
    wal_bytes: int
    stored_bytes: int
    switches: int


@dataclass(frozen=True, slots=True)
class Cost:
    """The average cost of one query; the memory is that of the whole stack, at the end. `others_cores` is how many
    cores everything else on the machine kept busy meanwhile."""

    seconds: float
    cpu_ms: Mapping[str, float]
    memory: Mapping[str, int]
    commands: Mapping[str, float]
    requests: float
    statements: float
    transactions: float
    wal_bytes: float
    stored_bytes: float
    switches: float
    others_cores: float

    @property
    def citewell_ms(self) -> float:
        """Return the CPU time of the API and the workers."""
        return sum(spent for name, spent in self.cpu_ms.items() if name not in SERVERS)

    @property
    def redis(self) -> float:
        """Return the number of all Redis commands, including those inside scripts."""
        return sum(self.commands.values())


def cost(before: Reading, after: Reading, queries: int) -> Cost:
    """Return the cost of each of `queries` that ran between two readings, including background work."""
    seconds = after.at - before.at
    others = (after.machine_cpu_s - before.machine_cpu_s) - (after.own_cpu_s - before.own_cpu_s)
    commands = {name: (calls - before.commands.get(name, 0)) / queries for name, calls in after.commands.items()}
    return Cost(
        seconds,
        {name: (spent - before.cpu_s.get(name, 0)) * 1000 / queries for name, spent in after.cpu_s.items()},
        after.memory,
        commands,
        (after.requests - before.requests) / queries,
        (after.statements - before.statements) / queries,
        (after.transactions - before.transactions) / queries,
        (after.wal_bytes - before.wal_bytes) / queries,
        (after.stored_bytes - before.stored_bytes) / queries,
        (after.switches - before.switches) / queries,
        max(0.0, others / seconds),
    )
