"""Computes the resources for a number of worker machines from the cost of one query.

docs/internals/scaling.md explains it.
"""

import math
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from benchmarks.cost.meter_cost import Cost

MACHINES = (10, 100, 1_000)
CORES, BUSY = 8, 0.7
PROCESSES_PER_MACHINE, CONNECTIONS_PER_PROCESS = 8, 8
TOKENS = 10_200
"""The model calls and tokens of a question, all models together (`python -m benchmarks.cost.costs`)."""


def print_plan(cost: Cost, idle: Cost) -> None:
    """`idle` is the cost of a second of the five processes of one `citewell up`."""
    table = Table("machines", title=f"{CORES} cores each, {BUSY:.0%} of them busy, and as much as they can do")
    for machines in MACHINES:
        table.add_column(f"{machines:,}", justify="right")
    idle_share = PROCESSES_PER_MACHINE / 5

    def rate(machines: int) -> float:
        return machines * CORES * BUSY * 1000 / cost.citewell_ms

    rows: dict[str, Callable[[int], float]] = {
        "questions/s": rate,
        "Redis commands/s": lambda n: rate(n) * cost.redis,
        "Redis servers (one thread each)": lambda n: math.ceil(rate(n) * cost.cpu_ms["valkey"] / (1000 * BUSY)),
        "cores of Postgres": lambda n: rate(n) * cost.cpu_ms["postgres"] / (1000 * BUSY),
        "transactions/s": lambda n: rate(n) * cost.transactions,
        "write-ahead log, MB/s": lambda n: rate(n) * cost.wal_bytes / 1e6,
        "kept per day, GB": lambda n: rate(n) * cost.stored_bytes * 86_400 / 1e9,
        "connections without a pooler": lambda n: n * PROCESSES_PER_MACHINE * CONNECTIONS_PER_PROCESS,
        "tokens per minute, millions": lambda n: rate(n) * 60 * TOKENS / 1e6,
        "idle: Redis commands/s": lambda n: n * idle_share * idle.redis,
        "idle: transactions/s": lambda n: n * idle_share * idle.transactions,
    }
    for name, value in rows.items():
        table.add_row(name, *(f"{value(machines):,.0f}" for machines in MACHINES))
    Console(width=120).print(table)
