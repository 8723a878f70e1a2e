"""The whole of Citewell on one machine, as children of this process."""

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

import psutil

from citewell.supervisor.apps import (
    SOURCE,
    app_processes,
    child_environment,
    fork_server_process,
    migrate,
    own_receivers,
    reachable_url,
)
from citewell.supervisor.home import write_private
from citewell.supervisor.processes.process import ManagedProcess, OnLine, ProcessSpec
from citewell.supervisor.servers.endpoints import reserved_port
from citewell.supervisor.servers.pair import EmbeddedServers, Startable
from citewell.supervisor.state import ServerState, ensure_not_running, state_file
from config.settings import Settings

_READY_WITHIN_S = 90.0
_DEATHS_WHILE_STARTING = 2
_WATCH_EVERY_S = 0.1


class Supervisor(Startable):
    """Servers, schema, API and workers.

    While it runs, SIGTERM and SIGHUP interrupt the main thread as Ctrl-C does; a second one stops hard. `run_forever`
    restarts dead processes. `apps` replaces the processes of Citewell, `forks` the process that they are forked from,
    `migrate` the preparation of the database.
    """

    url: str  # the API's address; set by `start`

    def __init__(
        self,
        settings: Settings,
        *,
        port: int | None = None,
        on_line: OnLine | None = None,
        apps: Sequence[ProcessSpec] | None = None,
        forks: ProcessSpec | None = None,
        migrate: Callable[[str], None] = migrate,
    ) -> None:
        self._settings = settings
        super().__init__()
        self._port = settings.api_port if port is None else port
        self._apps = apps
        self._forks = forks or fork_server_process()
        self._migrate = migrate
        self._servers = EmbeddedServers(settings.home, on_line=on_line)
        self._fleet = self._servers.fleet

    def run_forever(self) -> None:
        with suppress(KeyboardInterrupt):
            while True:
                self.revive()
                time.sleep(_WATCH_EVERY_S)

    def revive(self, *, at_once: bool = False) -> None:
        """Restart dead processes, each after its own backoff; for callers with a loop of their own.

        `at_once` is for callers that killed processes themselves, so that the deaths say nothing about them.
        """
        self._fleet.revive(at_once=at_once)

    @property
    def pids(self) -> dict[str, int | None]:
        return {process.spec.name: process.pid for process in self._fleet.processes}

    @property
    def home(self) -> Path:
        return self._servers.home.root

    @property
    def database_url(self) -> str:
        return self._servers.database_url

    @property
    def redis_url(self) -> str:
        return self._servers.redis_url

    def stop(self) -> None:
        """Stop the API, then the workers (warm, at most 8 s), then the servers. A signal meanwhile kills them all."""
        self._fleet.stopping = True
        self._stack.close()

    def _start(self) -> None:
        ensure_not_running(self._servers.home)
        # Servers that start now, including those of other supervisors, must not be given the API's port.
        reservation = self._stack.enter_context(ExitStack())
        port = reservation.enter_context(reserved_port(self._settings.api_host, self._port))
        self.url = reachable_url(self._settings.api_host, port)
        self._stack.enter_context(self._fleet.interruptible())
        self._stack.enter_context(self._servers)
        specs = app_processes(self._settings, port) if self._apps is None else self._apps
        # The fork server loads the modules of the apps while the database is prepared.
        forks: list[ManagedProcess] = []
        if sys.platform == "linux" and any(spec.forked for spec in specs):
            forks = [self._fleet.launch_fork_server(self._equipped(self._forks))]
        self._migrate(self._servers.database_url)
        self._fleet.await_ready(forks, within=_READY_WITHIN_S, deaths=_DEATHS_WHILE_STARTING)
        reservation.close()
        apps = [self._fleet.launch(self._equipped(spec)) for spec in specs]
        # Callbacks run in reverse, so the API stops before the workers.
        self._stack.callback(self._fleet.stop, [app for app in apps if app.spec.name != "api"])
        self._stack.callback(self._fleet.stop, [app for app in apps if app.spec.name == "api"])
        self._fleet.await_ready(apps, within=_READY_WITHIN_S, deaths=_DEATHS_WHILE_STARTING)
        self._announce()

    def _equipped(self, spec: ProcessSpec) -> ProcessSpec:
        environment = child_environment(self._servers.home.root, self._servers.database_url, self._servers.redis_url)
        environment |= own_receivers(self._settings)
        return replace(spec, env={**environment, **spec.env}, cwd=spec.cwd or SOURCE)

    def _announce(self) -> None:
        file = state_file(self._servers.home.root)
        me = psutil.Process()
        state = ServerState(pid=me.pid, url=self.url, started_at=me.create_time())
        write_private(file, state.model_dump_json())
        self._stack.callback(file.unlink, missing_ok=True)
