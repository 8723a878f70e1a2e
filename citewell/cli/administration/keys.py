"""`citewell keys`: API keys and their rights."""

from importlib import import_module
from typing import Annotated, Any

import typer

from citewell.cli.options import Json, group
from domain.keys import Scope

app = group("Make, list and revoke keys of the API.")

_Tenant = Annotated[str, typer.Option("--tenant", "-t", help="Whose data the key opens; made on first use.")]


@app.command()
def create(
    name: Annotated[str, typer.Option(help="What the key is for, such as ci.")],
    scopes: Annotated[list[Scope], typer.Option("--scope", help="What it may do; can be given several times.")],
    tenant: _Tenant = "default",
    workspaces: Annotated[
        list[str] | None,
        typer.Option("--workspace", "-w", help="It opens only this one; can be given several times. [default: all]"),
    ] = None,
    expires_days: Annotated[int | None, typer.Option(min=1, max=3650, help="[default: never]")] = None,
    requests_per_minute: Annotated[int | None, typer.Option(min=1, help="[default: as configured]")] = None,
    as_json: Json = False,
) -> None:
    """Make a key and print it on standard output. It cannot be shown again."""
    _work().create(tenant, name, scopes, workspaces or None, expires_days, requests_per_minute, as_json)


@app.command("list")
def list_(
    tenant: Annotated[str | None, typer.Option("--tenant", "-t", help="Only of this tenant.")] = None,
    as_json: Json = False,
) -> None:
    """List the keys, including revoked ones."""
    _work().show(tenant, as_json)


@app.command()
def revoke(key_id: Annotated[str, typer.Argument(metavar="ID", help="As `citewell keys list` shows it.")]) -> None:
    """Revoke a key: within 5 seconds no server accepts it any more."""
    _work().revoke(key_id)


def _work() -> Any:
    return import_module("citewell.cli.administration.key_store")
