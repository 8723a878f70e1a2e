"""`citewell up`: everything on this machine, until Ctrl-C."""

import os
import sys
from typing import Annotated

import typer

from citewell.cli.console import say
from citewell.supervisor.supervisor import Supervisor
from config.settings import settings

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def up(
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Of the API; 0 takes a free one. [default: as configured]")
    ] = None,
) -> None:
    """Start servers, API and workers, and keep them running until Ctrl-C.

    Data lives under CITEWELL_HOME. The logs of all processes are shown here and kept there under logs/.
    """
    if sys.stderr.isatty():
        os.environ.setdefault("CITEWELL_LOG_FORMAT", "console")
    with Supervisor(settings(), port=port, on_line=_show) as supervisor:
        say(f"Citewell is ready at {supervisor.url} ({supervisor.url}/docs shows the API); Ctrl-C stops it")
        supervisor.run_forever()
    say("Citewell has stopped")


def _show(process: str, line: str) -> None:
    sys.stderr.write(f"{process:>10} | {line}\n")
