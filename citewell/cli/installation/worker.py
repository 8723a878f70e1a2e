"""`citewell worker`: more worker processes for a running server, until Ctrl-C."""

import sys
from importlib import import_module
from typing import Annotated

import typer

from citewell.cli.console import say
from config.settings import settings

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def worker(
    queues: Annotated[
        str | None,
        typer.Option(metavar="QUEUES", help="Those to work for, with commas between: verification,reranking. [all]"),
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Messages a process handles at a time. [as configured]")
    ] = None,
    processes: Annotated[int | None, typer.Option(min=1, help="Processes of each pool. [as configured]")] = None,
) -> None:
    """Join the server that runs on this home, or the one whose CITEWELL_DATABASE_URL and CITEWELL_REDIS_URL are set.

    A signal drains: what runs is finished, and what takes longer than recovery.drain_s goes back to its queue for
    other workers.
    """
    configured = settings()
    named = tuple(name.strip() for name in (queues or "").split(",") if name.strip())
    # Modules that start processes are loaded only by the commands that start some.
    joining = import_module("citewell.supervisor.joining")
    pools = joining.chosen_pools(configured, named, concurrency=concurrency, processes=processes)

    def show(process: str, line: str) -> None:
        sys.stderr.write(f"{process} | {line}\n")

    def tell_ready(names: list[str]) -> None:
        say(f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} ready; Ctrl-C drains and stops")

    joining.run_workers(configured, pools, on_line=show, on_ready=tell_ready)
    say("the workers have stopped")
