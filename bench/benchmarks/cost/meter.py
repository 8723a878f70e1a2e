"""`python -m benchmarks.cost.meter [--queries 64] [--in-flight 32]`: what a running Citewell costs per query.

CPU is that of whole process trees, ended children included, Postgres and Valkey apart. Statements are counted by
pg_stat_statements in the embedded server, so a pipeline of ten counts ten; those that only begin or end a transaction
count as transactions, and those that call a function of the database outside of one as both. Redis counts the commands
inside scripts as any other; what clients sent is shown beside them.
"""

import argparse
import subprocess
import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import psycopg
import redis
from rich.console import Console
from rich.table import Table

from benchmarks.cost.meter_cost import NO_WORKERS, Cost, Reading, cost
from benchmarks.cost.plan import print_plan
from benchmarks.load.provider import plenty, simulated_provider
from citewell.supervisor.home import home_at, prepare, temporary_home
from citewell.supervisor.processes.spawn import spawn
from citewell.supervisor.servers.binaries import find_binaries
from citewell.supervisor.servers.endpoints import load_secrets
from citewell.supervisor.servers.postgres import SERVER_ENV, create_cluster, data_folder
from citewell.supervisor.supervisor import Supervisor
from tests.e2e.stack import Stack, running_stack
from tests.simulators.groq.server import KEY

DOCUMENT = Path(__file__).resolve().parents[3] / "api" / "dashboard" / "example" / "authentication-guide.md"
QUESTION = "How long are access tokens valid?"

_STATEMENTS = """
    SELECT coalesce(sum(calls) FILTER (WHERE NOT ends AND NOT begins), 0)::bigint,
           coalesce(sum(calls) FILTER (WHERE ends OR is_both), 0)::bigint
    FROM (SELECT calls, query ~* '^(COMMIT|ROLLBACK)$' AS ends, query ~* '^BEGIN' AS begins,
                 -- What is called within a transaction acts for whom that acts (db.queries.runs.step_io).
                 query ~ '_v[0-9]+\\((?!\\s*current_setting)' AS is_both
          FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%') AS counted
"""
_BYTES = """
    SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint, pg_database_size(current_database())
"""
# The columns of a SELECT say little; statements that begin alike are distinguished by a number.
_OFTEN = """
    SELECT calls, total_exec_time,
           left(regexp_replace(line, '^SELECT (.{20}).* FROM ', 'SELECT \\1… FROM '), 220)
           || ' #' || abs(queryid) % 1000
    FROM pg_stat_statements, LATERAL (SELECT regexp_replace(query, '\\s+', ' ', 'g') AS line) AS flat
    WHERE query NOT LIKE '%pg_stat_statements%'
"""


class Meter:
    """Reads the counters of a stack; it reads statements only for a stack from `metered_stack`."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._redis: Any = redis.Redis.from_url(supervisor.redis_url)  # pyright: ignore[reportUnknownMemberType]
        self._postgres = psycopg.connect(supervisor.database_url.replace("+psycopg", ""), autocommit=True)

    def close(self) -> None:
        self._redis.close()
        self._postgres.close()

    def read(self) -> Reading:
        """Read all counters now. Raises psycopg.Error when the server does not count statements."""
        cpu, memory = dict[str, float](), dict[str, int]()
        for name, pid in self._supervisor.pids.items():
            cpu[name], memory[name] = _of_tree(pid) if pid else (0.0, 0)
        stats = self._redis.info("commandstats")
        commands = {name.removeprefix("cmdstat_"): int(each["calls"]) for name, each in stats.items()}
        statements, transactions = self._row(_STATEMENTS)
        wal, stored = self._row(_BYTES)
        return Reading(
            time.monotonic(),
            cpu,
            memory,
            _of_tree(psutil.Process().pid)[0],
            _busy_s(),
            commands,
            int(self._redis.info("stats")["total_reads_processed"]),
            statements,
            transactions,
            wal,
            stored,
            sum(_switches(pid) for name, pid in self._supervisor.pids.items() if pid and name not in NO_WORKERS),
        )

    def often(self, before: Mapping[str, tuple[int, float]] | None = None) -> dict[str, tuple[int, float]]:
        """Return (calls, milliseconds in the server) of every statement, since `before` if given."""
        found = dict[str, tuple[int, float]]()
        for calls, spent, statement in self._postgres.execute(_OFTEN):
            known = found.get(statement, (0, 0.0))
            found[statement] = known[0] + calls, known[1] + spent
        earlier = before or {}
        since = {name: earlier.get(name, (0, 0.0)) for name in found}
        return {name: (calls - since[name][0], spent - since[name][1]) for name, (calls, spent) in found.items()}

    def _row(self, statement: str) -> tuple[int, ...]:
        row = self._postgres.execute(statement.encode()).fetchone()
        assert row is not None  # noqa: S101 - aggregates and functions always have a row
        return row


@contextmanager
def metered_stack(environment: Mapping[str, str], *, durable: bool = True) -> Generator[tuple[Stack, Meter]]:
    """Run a stack whose Postgres counts statements; see `running_stack`. Unless `durable` it writes faster and less."""
    with temporary_home() as home:
        _count_statements(home, _COUNTING if durable else _COUNTING + _NOT_DURABLE)
        with running_stack(**{"CITEWELL_HOME": str(home), **environment}) as stack:
            meter = Meter(stack.supervisor)
            try:
                yield stack, meter
            finally:
                meter.close()


def asking(provider: str) -> dict[str, str]:
    """Return the environment of a stack that asks the simulated provider, and reads no documents for the knowledge
    graph."""
    return {"GROQ_API_KEY": KEY, "GROQ_BASE_URL": provider, "CITEWELL_GRAPH__EXTRACTOR": "off", **plenty()}


_COUNTING = "shared_preload_libraries = 'pg_stat_statements'\n"
_NOT_DURABLE = "fsync = off\nfull_page_writes = off\nsynchronous_commit = off\n"


def _count_statements(root: Path, settings: str) -> None:
    """Create the cluster that the supervisor will find, with the extension in it: creating the extension needs the
    superuser, who cannot log in."""
    home = home_at(root)
    prepare(home)
    binaries = find_binaries(home)
    create_cluster(home, binaries, load_secrets(home, data_exists=False).postgres, durable=True)
    argv = (str(binaries.postgres), "--single", "-D", str(data_folder(home)), "citewell")
    with spawn(argv, env=SERVER_ENV, account=home.account, cwd=home.postgres, stdin=subprocess.PIPE) as child:
        child.communicate(b"CREATE EXTENSION pg_stat_statements;\n")
    with (data_folder(home) / "postgresql.conf").open("a") as file:
        file.write(settings)


def _of_tree(pid: int) -> tuple[float, int]:
    """Return (seconds of CPU, bytes) of a process and all processes below it; the first includes ended processes."""
    cpu, memory = 0.0, 0
    root = psutil.Process(pid)
    for process in (root, *root.children(recursive=True)):
        # The time of a process that ends now will be in its parent's time.
        with suppress(psutil.NoSuchProcess):
            cpu += sum(process.cpu_times()[:4])
            memory += process.memory_full_info().uss
    return cpu, memory


def _switches(pid: int) -> int:
    """Return the voluntary context switches of the threads of a process and of all processes below it; 0 where the
    system does not report them."""
    root = psutil.Process(pid)
    counted = 0
    for process in (root, *root.children(recursive=True)):
        for status in Path(f"/proc/{process.pid}/task").glob("*/status"):
            # A thread may end at any time.
            with suppress(OSError):
                counted += int(status.read_text().partition("\nvoluntary_ctxt_switches:")[2].split()[0])
    return counted


def _busy_s() -> float:
    times = psutil.cpu_times()
    return times.user + times.system


def burst(work: Callable[[int], object], count: int, in_flight: int) -> None:
    with ThreadPoolExecutor(in_flight) as people:
        list(people.map(work, range(count)))


def ask(stack: Stack, _: int = 0) -> dict[str, Any]:
    """Ask the question of all benchmarks, which takes 17 model calls. Raises RuntimeError when it fails."""
    query = stack.ask(QUESTION, workspace="bench", retrieval={"k": 10}, rerank={"top_k": 3})
    if query["status"] != "succeeded":
        raise RuntimeError(f"a query failed: {query['error']}")
    return query


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost.meter", description=__doc__)
    parser.add_argument("--queries", type=int, default=64)
    parser.add_argument("--in-flight", type=int, default=32)
    parser.add_argument("--statements", type=int, default=0, help="show so many of the most frequent statements")
    parser.add_argument("--commands", type=int, default=0, help="and of the most frequent Redis commands")
    parser.add_argument("--plan", action="store_true", help="and what 10, 100 and 1,000 machines would need")
    options = parser.parse_args()
    with simulated_provider() as url, metered_stack(asking(url)) as (stack, meter):
        stack.add_file(DOCUMENT, workspace="bench")
        one = partial(ask, stack)
        burst(one, options.in_flight, options.in_flight)
        idle = meter.read()
        time.sleep(10)
        before, earlier = meter.read(), meter.often()
        burst(one, options.queries, options.in_flight)
        found = cost(before, meter.read(), options.queries)
        still = cost(idle, before, 10)
        _print(still, found, options)
        if options.plan:
            print_plan(found, still)
        for name, count in sorted(found.commands.items(), key=lambda item: -item[1])[: options.commands]:
            Console().print(f"{count:8.1f} x {name}", highlight=False)
        often = sorted(meter.often(earlier).items(), key=lambda item: -item[1][0])[: options.statements]
        for statement, (calls, spent) in often:
            Console(width=180).print(
                f"{calls / options.queries:6.1f} x {spent / max(1, calls):6.2f} ms  {statement}",
                markup=False,
                highlight=False,
            )


def _print(idle: Cost, found: Cost, options: argparse.Namespace) -> None:
    table = Table("what", title=f"{options.queries} queries, {options.in_flight} in flight")
    for heading in ("per query", "idle, per second"):
        table.add_column(heading, justify="right")
    for name in found.cpu_ms:
        memory = f"; {found.memory[name] / 2**20:.0f} MB at the end"
        table.add_row(f"CPU-ms of {name}{memory}", f"{found.cpu_ms[name]:.1f}", f"{idle.cpu_ms[name]:.1f}")
    rows: list[tuple[str, Callable[[Cost], float]]] = [
        ("CPU-ms of the API and all workers", lambda each: each.citewell_ms),
        ("Redis commands", lambda each: each.redis),
        ("requests to Redis", lambda each: each.requests),
        ("Postgres statements", lambda each: each.statements),
        ("Postgres transactions", lambda each: each.transactions),
        ("voluntary context switches of the workers", lambda each: each.switches),
        ("write-ahead log, kB", lambda each: each.wal_bytes / 1000),
        ("kept in tables and indexes, kB", lambda each: each.stored_bytes / 1000),
    ]
    for name, value in rows:
        table.add_row(name, f"{value(found):,.1f}", f"{value(idle):,.1f}")
    Console(width=120).print(table)
    rate = options.queries / found.seconds
    Console(width=120).print(
        f"{rate:.1f} queries/s; everything else on the machine kept {found.others_cores:.1f} of {psutil.cpu_count()} "
        "cores busy (the benchmark, the simulated provider and the stack are not counted)",
        highlight=False,
    )


if __name__ == "__main__":
    main()
