"""Worker processes beside servers that run elsewhere: the servers of a running home, or those that the settings
name."""

import glob
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from citewell.supervisor.apps import CUSTOM_POOL, SOURCE, child_environment, own_receivers, worker_processes
from citewell.supervisor.errors import NothingToJoin, UnknownQueue
from citewell.supervisor.home import home_at
from citewell.supervisor.processes.fleet import Fleet
from citewell.supervisor.processes.process import OnLine
from citewell.supervisor.servers.endpoints import running_broker, running_database
from citewell.supervisor.state import running_server
from config.settings import PoolSettings, Settings

_READY_WITHIN_S, _DEATHS_WHILE_STARTING = 90.0, 3
_WATCH_EVERY_S = 0.2
_HANDS_BACK_WITHIN_S = 10.0  # additional to `recovery.drain_s`


def chosen_pools(
    settings: Settings, queues: tuple[str, ...], *, concurrency: int | None, processes: int | None
) -> Mapping[str, PoolSettings]:
    """Return the configured pools, each with those of `queues` that it serves; all of its queues where none is named.

    Raises UnknownQueue for a queue that no pool serves.
    """
    known = [queue for pool in settings.pools.values() for queue in pool.queues]
    if unknown := [queue for queue in queues if queue not in known]:
        raise UnknownQueue(f"There is no queue {unknown[0]!r}; the queues are {', '.join(known)}.")
    changes = {
        name: value for name, value in (("concurrency", concurrency), ("processes", processes)) if value is not None
    }
    return {
        name: pool.model_copy(update={"queues": served, **changes})
        for name, pool in settings.pools.items()
        if (served := tuple(queue for queue in pool.queues if not queues or queue in queues))
    }


def addresses(settings: Settings) -> tuple[str, str]:
    """Return the URLs of database and broker: the configured ones, else those of the server that runs on the home.

    Raises NothingToJoin.
    """
    named = {"database_url", "redis_url"} & settings.model_fields_set
    if len(named) == 2:
        return settings.database_url.get_secret_value(), settings.redis_url.get_secret_value()
    if named:
        raise NothingToJoin("Set both CITEWELL_DATABASE_URL and CITEWELL_REDIS_URL, or neither to join this home.")
    home = home_at(settings.home)
    database, broker = running_database(home), running_broker(home)
    if running_server(settings.home) is None or database is None or broker is None:
        raise NothingToJoin(
            f"No server runs on {settings.home}: start one with `citewell up`, or name the database and the broker of "
            "another one with CITEWELL_DATABASE_URL and CITEWELL_REDIS_URL."
        )
    return database, broker


def environment(settings: Settings) -> dict[str, str]:
    """Return the variables of a process that works with the server of the home, or with the configured one. Raises
    NothingToJoin."""
    return {**child_environment(settings.home, *addresses(settings)), **CUSTOM_POOL, **own_receivers(settings)}


def run_workers(
    settings: Settings, pools: Mapping[str, PoolSettings], *, on_line: OnLine, on_ready: Callable[[list[str]], None]
) -> None:
    """Run the pools until a signal, which lets every worker finish or hand back its work.

    Raises NothingToJoin, StartFailed.
    """
    surroundings = environment(settings)
    with ExitStack() as stack:
        logs = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="citewell-workers-")))
        fleet = Fleet(logs, on_line)
        stack.callback(fleet.close)
        stack.enter_context(fleet.interruptible())
        _forget_pulses(settings)
        patience = settings.recovery.drain_s + _HANDS_BACK_WITHIN_S
        specs = worker_processes(settings, pools, suffix=f"-{os.getpid()}", patience_s=patience)
        workers = [fleet.launch(replace(spec, env={**surroundings, **spec.env}, cwd=SOURCE)) for spec in specs]
        with suppress(KeyboardInterrupt):
            fleet.await_ready(workers, within=_READY_WITHIN_S, deaths=_DEATHS_WHILE_STARTING)
            on_ready([spec.name for spec in specs])
            while True:
                fleet.revive()
                time.sleep(_WATCH_EVERY_S)
        fleet.stop(workers)


def _forget_pulses(settings: Settings) -> None:
    """Remove the files of processes of an earlier start, which a health check would take for hanging processes."""
    if settings.pulse_file is not None:
        for path in settings.pulse_file.parent.glob(f"{glob.escape(settings.pulse_file.name)}-*"):
            path.unlink(missing_ok=True)
