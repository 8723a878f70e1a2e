"""`citewell parked`: steps that crashed their workers too often, for operators."""

from importlib import import_module
from typing import Annotated

import typer

from citewell.cli.options import Json

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def parked(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="List so many of them, the latest first.")] = 100,
    as_json: Json = False,
) -> None:
    """List the steps of all tenants that are not tried again; `citewell replay` asks their questions again."""
    import_module("citewell.cli.actions.operating").show_parked(limit, as_json)
