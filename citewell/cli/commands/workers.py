"""`citewell workers`: the live worker processes, and what waits for them."""

from importlib import import_module

import typer

from citewell.cli.options import Json

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def workers(as_json: Json = False) -> None:
    """Show the worker processes and the backlog of every tenant, as recorded in the database."""
    import_module("citewell.cli.actions.operating").show_workers(as_json)
