"""`citewell tenants`, `workers` and `parked`: the tenants of this installation, its worker processes, the steps that
were given up."""

from importlib import import_module
from typing import Annotated, Any

import typer

from citewell.cli.options import Json, group

tenants_app = group("List tenants, and change their weights.")
workers_app = typer.Typer(rich_markup_mode=None, add_completion=False)
parked_app = typer.Typer(rich_markup_mode=None, add_completion=False)


@tenants_app.command("list")
def list_(as_json: Json = False) -> None:
    """List the tenants with their weights."""
    _work().show_tenants(as_json)


@tenants_app.command()
def weight(
    tenant: Annotated[str, typer.Argument(metavar="NAME", help="As `citewell tenants list` shows it.")],
    value: Annotated[float, typer.Argument(metavar="WEIGHT", min=0.01, max=1000, help="1 is everybody's.")],
) -> None:
    """Give a tenant a larger or smaller part of what runs at a time, while others wait too."""
    _work().change_weight(tenant, value)


@workers_app.command()
def workers(as_json: Json = False) -> None:
    """Show the worker processes and the backlog of every tenant, as recorded in the database."""
    import_module("citewell.cli.administration.operating").show_workers(as_json)


@parked_app.command()
def parked(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="List so many of them, the latest first.")] = 100,
    as_json: Json = False,
) -> None:
    """List the steps of all tenants that are not tried again; `citewell replay` asks their questions again."""
    import_module("citewell.cli.administration.operating").show_parked(limit, as_json)


def _work() -> Any:
    return import_module("citewell.cli.administration.operating")
