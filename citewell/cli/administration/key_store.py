"""The work of `citewell keys`, in the database and without the API, because creating the first key needs no key."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rich.table import Table

from citewell.cli.console import emit, out, output_all, plain, say
from citewell.cli.database import database
from citewell.cli.errors import CommandFailed
from citewell.cli.show.words import when
from domain.keys import Scope
from services.operations.api_keys import NewKey, create_key_for, read_keys_of_all, revoke_key_of_any


def create(
    tenant: str,
    name: str,
    scopes: Sequence[Scope],
    workspaces: Sequence[str] | None,
    days: int | None,
    per_minute: int | None,
    as_json: bool,
) -> None:
    for what, value in (("tenant", tenant), ("name", name)):
        if not value.strip():
            raise CommandFailed(f"the {what} is empty; give --{what} a value")
    with database():
        made = create_key_for(tenant.strip(), NewKey(name.strip(), scopes, days, per_minute, workspaces))
    if as_json:
        emit(made)
        return
    only = f", only in {', '.join(made['workspaces'])}" if made["workspaces"] else ""
    say(f"key {made['id']} of tenant {made['tenant']}: {', '.join(made['scopes'])}{only}; it cannot be shown again")
    out.print(made["key"], soft_wrap=True)


def show(tenant: str | None, as_json: bool) -> None:
    with database():
        keys = read_keys_of_all(tenant)
    output_all(keys, _table, as_json=as_json)


def _table(keys: Sequence[dict[str, Any]]) -> Table:
    table = Table("id", "tenant", "name", "scopes", "workspaces", "last used", "state", box=None)
    for key in keys:
        cells = (
            key["id"],
            key["tenant"],
            key["name"],
            " ".join(key["scopes"]),
            "all" if key["workspaces"] is None else " ".join(key["workspaces"]) or "none left",
            _when(key["last_used_at"]),
            _state(key),
        )
        table.add_row(*map(plain, cells))
    return table


def revoke(key_id: str) -> None:
    with database():
        revoke_key_of_any(key_id)
    say(f"key {key_id} is revoked; servers refuse it within 5 seconds")


def _state(key: dict[str, Any]) -> str:
    if key["revoked_at"]:
        return f"revoked {_when(key['revoked_at'])}"
    if not key["expires_at"]:
        return "valid"
    over = datetime.fromisoformat(key["expires_at"]) <= datetime.now(UTC)
    return f"{'expired' if over else 'expires'} {_when(key['expires_at'])}"


def _when(time: str | None) -> str:
    return when(time) if time else "never"
