"""`citewell celery`: Celery's own command on the broker of a running server."""

import subprocess
import sys
from importlib import import_module

import typer

from config.settings import settings

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def celery(context: typer.Context) -> None:
    """Celery's own command with the settings of this home: `inspect active`, `inspect stats`, `status`, `events`,
    `control enable_events`, `flower`, ….

    Everything after `celery` is Celery's, `--help` too. It talks to the server that runs on this home, or to the one
    whose CITEWELL_DATABASE_URL and CITEWELL_REDIS_URL are set.
    """
    # Modules that start processes are loaded only by the commands that start some.
    joining = import_module("citewell.supervisor.joining")
    command = [sys.executable, "-m", "celery", "-A", "workers.celery_app", *context.args]
    environment = joining.environment(settings())
    # In a folder of the user, an `api/` of theirs would hide Citewell's.
    with subprocess.Popen(command, env=environment, cwd=joining.SOURCE) as celery_itself:  # noqa: S603 - the user's own
        while True:
            try:
                raise typer.Exit(celery_itself.wait())
            except KeyboardInterrupt:
                continue  # Celery got the signal, too, and ends by it.
