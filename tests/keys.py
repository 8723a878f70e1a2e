"""Keys for access tests."""

from typing import Any

from sqlalchemy import text

from db.session import system_transaction
from domain.keys import Scope, parse_key
from services.operations.api_keys import NewKey, create_key_for


def make_key(*scopes: Scope, tenant: str = "default", name: str = "test", **limits: Any) -> str:
    """A key with these scopes, or with all."""
    return create_key_for(tenant, NewKey(name, scopes or [Scope.ADMIN], **limits))["key"]


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def change_key(key: str, *changes: str) -> None:
    """Update the key's row; `changes` are SQL assignments."""
    with system_transaction() as session:
        session.execute(text(f"UPDATE api_keys SET {', '.join(changes)} WHERE id = :id"), {"id": parse_key(key).id})


def row_of(key: str) -> dict[str, Any]:
    """The key's row in the database."""
    with system_transaction() as session:
        row = session.execute(text("SELECT * FROM api_keys WHERE id = :id"), {"id": parse_key(key).id})
        return dict(row.mappings().one())
