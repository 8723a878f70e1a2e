"""The processes of Citewell itself: the API, worker pools, the migration before them, and their environment."""

import json
import os
import re
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

from citewell.supervisor.errors import StartFailed
from citewell.supervisor.processes.forkserver import READY
from citewell.supervisor.processes.process import ProcessSpec
from citewell.supervisor.processes.spawn import spawn
from config.file import CONFIG_VARIABLE, config_for_children
from config.settings import PoolSettings, Settings

_API_STOP = ((signal.SIGTERM, 5.0),)
_WORKER_PATIENCE_S = 6.0
_HEARTBEAT_S = 30  # Celery's own heartbeat, which only Flower needs; every process also beats in Postgres
# Celery's options for a custom pool (workers/pool.py).
_POOL_OPTIONS, CUSTOM_POOL = {"loop": "custom"}, {"CELERY_CUSTOM_WORKER_POOL": "workers.pool:LoopPool"}
# The modules that the fork server preloads for all, and the space in its arguments for the titles that `ps` shows of
# each process.
_LOADED, _ROOM = ("api.app", "api.patience", "workers.preloading:preload"), " " * 400
SOURCE = Path(__file__).resolve().parents[2]
"""The folder that the processes run in: in a folder of the user, an `api/` of theirs would hide Citewell's."""
_MB = 2**20


def fork_server_process(*also: str) -> ProcessSpec:
    return ProcessSpec(
        name="forkserver",
        argv=(sys.executable, "-m", "citewell.supervisor.processes.forkserver", *_LOADED, *also, _ROOM),
        env=CUSTOM_POOL,
        ready_line=re.escape(READY),
    )


LOOPBACK = ("127.0.0.0/8", "::1/128")


def app_processes(settings: Settings, port: int) -> list[ProcessSpec]:
    return [*worker_processes(settings, settings.pools), _api(settings, port)]


def worker_processes(
    settings: Settings, pools: Mapping[str, PoolSettings], *, suffix: str = "", patience_s: float = _WORKER_PATIENCE_S
) -> list[ProcessSpec]:
    """Return the processes of `pools`, each named after its pool and `suffix`. A stopped process has `patience_s` to
    end warm, so that running steps finish; then it ends cold, which returns unfinished steps to their queue."""
    stop = ((signal.SIGTERM, patience_s), (signal.SIGQUIT, 2.0))
    return [
        _worker(
            f"{name}{suffix}" if pool.processes == 1 else f"{name}{suffix}-{i}", f"{name}-{i}", pool, settings, stop
        )
        for name, pool in pools.items()
        for i in range(1, pool.processes + 1)
    ]


def own_receivers(settings: Settings) -> dict[str, str]:
    """Return the setting by which webhooks reach receivers on this machine, where only its own people can register
    them.

    The processes need the setting because a worker does not know where the API listens. Configured values stay.
    """
    if settings.is_keyless and "allowed_networks" not in settings.webhooks.model_fields_set:
        return {"CITEWELL_WEBHOOKS__ALLOWED_NETWORKS": json.dumps(LOOPBACK)}
    return {}


def reachable_url(host: str, port: int) -> str:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104 - read, not bound
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _api(settings: Settings, port: int) -> ProcessSpec:
    return ProcessSpec(
        name="api",
        argv=(sys.executable, "-m", "uvicorn", "api.app:app", "--host", settings.api_host, "--port", str(port),
              "--http", "api.patience:PatientProtocol", "--ws", "none", "--no-server-header",
              "--log-level", settings.log_level.lower(), "--timeout-graceful-shutdown", "3"),
        ready_url=f"{reachable_url(settings.api_host, port)}/readyz",
        stop=_API_STOP,
        forked=True,
    )  # fmt: skip


def _worker(
    name: str, beats_as: str, pool: PoolSettings, settings: Settings, stop: tuple[tuple[signal.Signals, float], ...]
) -> ProcessSpec:
    return ProcessSpec(
        name=name,
        argv=(sys.executable, "-m", "celery", "-A", "workers.celery_app", "worker", "-Q", ",".join(pool.queues),
              "--pool", _POOL_OPTIONS.get(pool.pool, pool.pool), "--concurrency", str(pool.concurrency),
              "-n", f"{name}@%h", "--without-mingle", "--without-gossip",
              "--heartbeat-interval", str(_HEARTBEAT_S)),
        # Each process has a file, so that a hanging process is seen beside healthy ones; its successor touches the same
        # file.
        env=CUSTOM_POOL | ({"CITEWELL_PULSE_FILE": f"{settings.pulse_file}-{beats_as}"} if settings.pulse_file else {}),
        ready_line=rf"{re.escape(name)}@\S+ ready\.",
        stop=stop,
        forked=True,
    )  # fmt: skip


def child_environment(home: Path, database_url: str, redis_url: str) -> dict[str, str]:
    """Return the variables of a Citewell process that works on this database and this broker."""
    return {
        **os.environ,
        "CITEWELL_DATABASE_URL": database_url,
        "CITEWELL_REDIS_URL": redis_url,
        "CITEWELL_HOME": str(home),
        CONFIG_VARIABLE: config_for_children(),
        "PYTHONUNBUFFERED": "1",
        # With more BLAS threads, concurrent embeddings wait for each other (clients.embeddings).
        "OPENBLAS_NUM_THREADS": "1",
        # With an arena for each thread, the memory that threads free would stay there.
        "MALLOC_ARENA_MAX": "2",
        # Freed memory goes back to the system, except blocks of the sizes that embedding constantly allocates and
        # frees: by default glibc raises both limits with every large block that is freed.
        "MALLOC_TRIM_THRESHOLD_": str(16 * _MB),
        "MALLOC_MMAP_THRESHOLD_": str(8 * _MB),
    }


def migrate(database_url: str) -> None:
    """Bring the database to the newest schema. Raises StartFailed with the last line of `db.migrate`."""
    env = {**os.environ, CONFIG_VARIABLE: config_for_children(), "CITEWELL_DATABASE_URL": database_url}
    with spawn((sys.executable, "-m", "db.migrate"), env=env, cwd=SOURCE) as child:
        printed, _ = child.communicate()
    if child.returncode != 0:
        said = printed.decode(errors="replace").strip().splitlines()
        raise StartFailed(
            said[-1] if said else f"the migration of the database ended with exit code {child.returncode}"
        )
