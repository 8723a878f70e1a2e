"""Postgres and Valkey on a home: everything that the test suite needs, and the base of the supervisor."""

import json
import signal
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self

import psutil

from citewell.supervisor.home import Home, disk_errors_explained, home_at, prepare, write_private
from citewell.supervisor.processes.fleet import Fleet
from citewell.supervisor.processes.process import OnLine, ProcessSpec
from citewell.supervisor.servers.binaries import Binaries, find_binaries
from citewell.supervisor.servers.endpoints import broker_url, choose_ports, database_url, load_secrets
from citewell.supervisor.servers.postgres import SERVER_ENV, create_cluster, data_folder, postgres_spec
from citewell.supervisor.state import locked

# Valkey quotes strings as JSON does, for every character of a path or a token.
_CONFIG = """\
bind 127.0.0.1
port {port}
requirepass {password}
dir {folder}
appendonly yes
appendfsync {fsync}
save ""
maxmemory-policy noeviction
set-proc-title no
"""

_READY_WITHIN_S = 120.0  # recovery after a crash may take long
_PROGRAMS = frozenset({"initdb", "postgres", "valkey-server"})
PATIENCE_S = 5.0


class Startable:
    """What runs between `start` and `stop`, or as a context manager; from the main thread, one start per object.

    `_start` puts on `_stack` whatever is to be undone by `stop`.
    """

    def __init__(self) -> None:
        self._stack = ExitStack()

    def start(self) -> None:
        """Return when all of it is ready. On SupervisorError nothing is left running."""
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        self._stack.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _start(self) -> None:
        raise NotImplementedError


class EmbeddedServers(Startable):
    """Both servers; they are ready when they accept connections.

    `durable=False` trades safety against power loss for speed: for tests. Raises HomeUnusable.
    """

    database_url: str  # for SQLAlchemy with psycopg 3, as the role that owns the database; set by `start`
    redis_url: str  # set by `start`

    def __init__(self, home: Path, *, durable: bool = True, on_line: OnLine | None = None) -> None:
        super().__init__()
        self.home = home_at(home)
        self.fleet = Fleet(self.home.logs, on_line)
        self._durable = durable

    def _start(self) -> None:
        with disk_errors_explained(self.home):
            prepare(self.home)
            self._stack.enter_context(locked(self.home))
            end_leftovers(self.home)
            specs = self._prepare_servers()
        self._stack.callback(self.fleet.close)
        processes = [self.fleet.launch(spec) for spec in specs]
        self.fleet.await_ready(processes, within=_READY_WITHIN_S, deaths=1)

    def _prepare_servers(self) -> list[ProcessSpec]:
        home, durable = self.home, self._durable
        binaries = find_binaries(home)
        secrets = load_secrets(home, data_exists=data_folder(home).exists())
        create_cluster(home, binaries, secrets.postgres, durable=durable)
        ports = choose_ports(home)
        self.database_url = database_url(secrets, ports)
        self.redis_url = broker_url(secrets, ports)
        return [
            postgres_spec(home, binaries, ports.postgres, durable=durable),
            valkey_spec(home, binaries, ports.valkey, secrets.valkey, durable=durable),
        ]


def end_leftovers(home: Home) -> None:
    """End servers that an earlier supervisor left on this home; must be called while holding the home's lock.

    That supervisor was killed, and the servers are about to end, or (on macOS) the guard was killed as well. Two
    servers on the same data would destroy it, and its `postmaster.pid` protects only until the pid is given to another
    program.
    """
    left = [p for p in psutil.process_iter(["name"]) if p.info["name"] in _PROGRAMS and _works_in(p, home)]
    _, alive = psutil.wait_procs(left, timeout=PATIENCE_S)
    for process in alive:
        with suppress(psutil.NoSuchProcess):  # Postgres' children end by themselves when their parent is gone
            process.kill()
    psutil.wait_procs(alive, timeout=PATIENCE_S)
    (home.postgres / "data" / "postmaster.pid").unlink(missing_ok=True)


def _works_in(process: psutil.Process, home: Home) -> bool:
    try:
        folder = process.cwd()
    except psutil.Error:
        return False
    return folder.startswith(f"{home.root}/")


def valkey_spec(home: Home, binaries: Binaries, port: int, password: str, *, durable: bool) -> ProcessSpec:
    """Write the configuration file, because every user can see a password in the arguments; return how to run it."""
    config = home.valkey / "valkey.conf"
    folder = json.dumps(str(home.valkey), ensure_ascii=False)
    fsync = "everysec" if durable else "no"
    write_private(config, _CONFIG.format(port=port, password=password, folder=folder, fsync=fsync))
    home.give_to_servers(config)
    return ProcessSpec(
        name="valkey",
        argv=(str(binaries.valkey), str(config)),
        env=SERVER_ENV,
        ready_line="Ready to accept connections",
        stop=((signal.SIGTERM, 10.0),),
        account=home.account,
        cwd=home.valkey,
    )
