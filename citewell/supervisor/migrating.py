"""Migrates the schema in a process of its own, whose memory is released with it."""

import os
import sys
from pathlib import Path

from citewell.supervisor.errors import StartFailed
from citewell.supervisor.processes.spawn import spawn

_SOURCE = Path(__file__).resolve().parents[2]


def migrate(database_url: str) -> None:
    """Run `db.migrate` on a database. Raises StartFailed with its last line."""
    config = Path(os.environ.get("CITEWELL_CONFIG", "config.yaml")).absolute()
    env = {**os.environ, "CITEWELL_CONFIG": str(config), "CITEWELL_DATABASE_URL": database_url}
    with spawn((sys.executable, "-m", "db.migrate"), env=env, cwd=_SOURCE) as child:
        printed, _ = child.communicate()
    if child.returncode != 0:
        said = printed.decode(errors="replace").strip().splitlines()
        raise StartFailed(
            said[-1] if said else f"the migration of the database ended with exit code {child.returncode}"
        )
