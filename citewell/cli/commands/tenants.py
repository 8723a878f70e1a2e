"""`citewell tenants`: the tenants of this installation, and their weights."""

from importlib import import_module
from typing import Annotated, Any

import typer

from citewell.cli.options import Json

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, add_completion=False, help="List tenants, and change their weights."
)


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the tenants with their weights."""
    _work().show_tenants(as_json)


@app.command()
def weight(
    tenant: Annotated[str, typer.Argument(metavar="NAME", help="As `citewell tenants list` shows it.")],
    value: Annotated[float, typer.Argument(metavar="WEIGHT", min=0.01, max=1000, help="1 is everybody's.")],
) -> None:
    """Give a tenant a larger or smaller part of what runs at a time, while others wait too."""
    _work().change_weight(tenant, value)


def _work() -> Any:
    """The module that does the work; it imports the database, so only on demand."""
    return import_module("citewell.cli.actions.operating")
