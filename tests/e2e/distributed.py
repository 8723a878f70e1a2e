"""The distributed form on one machine without Docker: the commands of docker-compose.yml on a test's servers."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from citewell.supervisor.home import temporary_home
from citewell.supervisor.processes.process import ManagedProcess, ProcessSpec
from citewell.supervisor.servers.endpoints import free_port
from citewell.supervisor.servers.pair import EmbeddedServers
from tests.deploy.files import ROOT, image_environment, services

# The default that compose uses when nothing is set outside: ${NAME:-default}.
_DEFAULT = re.compile(r"\$\{\w+:-([^}]*)\}")
_READY_WITHIN_S = 240  # a dozen processes, on a machine that may be busy


@dataclass
class Site:
    """Processes by the names of their services; a service's second process has the suffix `-2`."""

    servers: EmbeddedServers
    outside: Mapping[str, str]
    port: int = field(default_factory=free_port)
    processes: dict[str, ManagedProcess] = field(default_factory=dict[str, ManagedProcess])

    def start(self, *names: str) -> None:
        """Start a process for each name, and wait until they serve."""
        started = [self.servers.fleet.launch(self._spec(name)) for name in names]
        self.processes.update(zip(names, started, strict=True))
        self.servers.fleet.await_ready(started, within=_READY_WITHIN_S, deaths=1)

    def run(self, *command: str, name: str = "api") -> str:
        """Run a command to its end, as `docker compose exec` does; return what it prints."""
        argv, environment = [sys.executable, "-m", *command], self._environment(name)
        done = subprocess.run(argv, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def is_healthy(self, name: str) -> bool:
        """The result of the service's health check."""
        kind, *test = services()[_service(name)]["healthcheck"]["test"]
        argv = [sys.executable if part == "python" else self._here(part) for part in test]
        argv = argv if kind == "CMD" else ["sh", "-c", argv[0].replace("$$", "$")]
        return subprocess.run(argv, env=self._environment(name), capture_output=True, check=False).returncode == 0

    def _spec(self, name: str) -> ProcessSpec:
        command = services()[_service(name)]["command"]
        program, *arguments = map(self._here, command)
        argv = (str(Path(sys.executable).parent / program), *arguments)
        serves = program == "uvicorn"
        ready = r"ready; Ctrl-C drains" if program == "citewell" else r"@\S+ ready\."
        return ProcessSpec(
            name=name,
            argv=argv,
            env=self._environment(name),
            cwd=ROOT,
            ready_url=f"{self.url}/readyz" if serves else None,
            ready_line=None if serves else ready,
            stop=((signal.SIGTERM, 60.0),),
        )

    def _environment(self, name: str) -> dict[str, str]:
        """The environment of compose, with this machine's addresses."""
        told: dict[str, str] = services()[_service(name)]["environment"]
        here = {
            "CITEWELL_DATABASE_URL": self.servers.database_url,
            "CITEWELL_REDIS_URL": self.servers.redis_url,
            # As in the image, but for each process its own.
            "CITEWELL_PULSE_FILE": str(self.servers.home.root / f"{name}.pulse"),
            **{name: image_environment()[name] for name in ("OPENBLAS_NUM_THREADS", "CELERY_CUSTOM_WORKER_POOL")},
        }
        defaults = {name: _DEFAULT.sub(r"\1", value) for name, value in told.items()}
        return {**_inherited(), **defaults, **here, **self.outside}

    def _here(self, part: str) -> str:
        """One part of a command, changed to listen only on loopback, on a free port."""
        if part == services()["api"]["environment"]["CITEWELL_API_HOST"]:
            return "127.0.0.1"
        return str(self.port) if part == "8000" else part.replace(":8000/", f":{self.port}/")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def distributed(*names: str, **outside: str) -> Generator[tuple[Site, httpx.Client]]:
    """Postgres, Redis, the schema, and the services `names`, or the API and one process per pool; `outside` are an
    operator's settings.
    """
    with temporary_home() as home, EmbeddedServers(home, durable=False) as servers:
        site = Site(servers, outside)
        site.run(*services()["migrate"]["command"], name="migrate")
        site.start(*(names or [name for name, service in services().items() if _lasts(service)]))
        key = site.run("citewell.cli.main", "keys", "create", "--name", "me", "--scope", "admin").split()[-1]
        with httpx.Client(base_url=site.url, headers={"Authorization": f"Bearer {key}"}, timeout=90) as http:
            yield site, http
        # All at the same time; the servers themselves end them one by one.
        servers.fleet.stop(list(site.processes.values()))


def _lasts(service: dict[str, Any]) -> bool:
    return "build" in service and service["command"][0] in {"uvicorn", "celery"} and "flower" not in service["command"]


def _service(name: str) -> str:
    return name.partition("-")[0]


def _inherited() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CITEWELL_", "GROQ_"))}
    return {**kept, "PYTHONPATH": str(ROOT), "PATH": f"{Path(sys.executable).parent}:{kept['PATH']}"}
