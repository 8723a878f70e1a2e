"""Ends servers that an earlier supervisor left on this home.

It was killed, and they are about to end, or (on macOS) the guard was killed as well. Two servers on the same data would
destroy it, and its `postmaster.pid` protects only until the pid is given to another program.
"""

from contextlib import suppress

import psutil

from citewell.supervisor.home import Home

_PROGRAMS = frozenset({"initdb", "postgres", "valkey-server"})
PATIENCE_S = 5.0


def end_leftovers(home: Home) -> None:
    """Wait for them to end, then kill them; must be called while holding the home's lock."""
    found = [p for p in psutil.process_iter(["name"]) if p.info["name"] in _PROGRAMS and _works_in(p, home)]
    _, alive = psutil.wait_procs(found, timeout=PATIENCE_S)
    for process in alive:
        with suppress(psutil.NoSuchProcess):  # Postgres' children end by themselves when the one before them is gone
            process.kill()
    psutil.wait_procs(alive, timeout=PATIENCE_S)
    (home.postgres / "data" / "postmaster.pid").unlink(missing_ok=True)


def _works_in(process: psutil.Process, home: Home) -> bool:
    """True if the process's working directory is in the home, as it is for all processes of both servers."""
    try:
        folder = process.cwd()
    except psutil.Error:
        return False
    return folder.startswith(f"{home.root}/")
