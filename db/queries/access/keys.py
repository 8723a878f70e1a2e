"""API keys, the tenants that they act for, and the weights of tenants."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from db.models import ApiKey, Tenant, Workspace
from domain.errors.missing import KeyNotFound, TenantNotFound

_USE_NOTED_EVERY = timedelta(minutes=1)


class ListedKey(NamedTuple):
    """A key, the name of its tenant, and the names of workspaces by their ids: at least of those that the key is
    limited to and that still exist."""

    key: ApiKey
    tenant: str
    workspaces: Mapping[int, str]


def get_or_add_tenant(session: Session, name: str, callback_secret: str) -> int:
    """Return the id of the tenant `name`, created if missing; safe under concurrent first use."""
    new = insert(Tenant).values(name=name, callback_secret=callback_secret)
    session.execute(new.on_conflict_do_nothing())
    return session.execute(select(Tenant.id).where(Tenant.name == name)).scalar_one()


def get_tenant(session: Session, name: str) -> int:
    tenant = session.scalar(select(Tenant.id).where(Tenant.name == name))
    if tenant is None:
        raise TenantNotFound(f"There is no tenant {name!r}; `citewell tenants list` shows them.")
    return tenant


def add_key(
    session: Session,
    key_id: str,
    *,
    name: str,
    digest: str,
    scopes: Sequence[str],
    expires_in_days: int | None,
    requests_per_minute: int | None,
    workspaces: Sequence[int] | None = None,
    person_id: uuid.UUID | None = None,
) -> ListedKey:
    """Store a key for the transaction's tenant, limited to `workspaces` unless it is None; its expiry is by the
    database's clock."""
    key = ApiKey(id=key_id, name=name, digest=digest, scopes=list(scopes), requests_per_minute=requests_per_minute)
    key.person_id = person_id
    if workspaces is not None:
        key.limited_to = list(workspaces)
    if expires_in_days is not None:
        key.expires_at = func.now() + timedelta(days=expires_in_days)
    session.add(key)
    session.flush()
    session.refresh(key)
    tenant = session.execute(select(Tenant.name).where(Tenant.id == key.tenant_id)).scalar_one()
    return ListedKey(key, tenant, _names_of(session, [key]))


def find_key(session: Session, key_id: str) -> tuple[ApiKey, bool] | None:
    expired = func.coalesce(ApiKey.expires_at <= func.now(), False)
    row = session.execute(select(ApiKey, expired).where(ApiKey.id == key_id)).one_or_none()
    return None if row is None else (row[0], row[1])


def record_use(session: Session, key_id: str) -> None:
    session.execute(
        update(ApiKey)
        .where(
            ApiKey.id == key_id,
            or_(ApiKey.last_used_at.is_(None), ApiKey.last_used_at < func.now() - _USE_NOTED_EVERY),
        )
        .values(last_used_at=func.now())
    )


def list_keys(session: Session, tenant: str | None = None, *, person_id: uuid.UUID | None = None) -> list[ListedKey]:
    statement = select(ApiKey, Tenant.name).join(Tenant, Tenant.id == ApiKey.tenant_id)
    if tenant is not None:
        statement = statement.where(Tenant.name == tenant)
    if person_id is not None:
        statement = statement.where(ApiKey.person_id == person_id)
    rows = session.execute(statement.order_by(ApiKey.created_at.desc(), ApiKey.id)).all()
    names = _names_of(session, [key for key, _ in rows])
    return [ListedKey(key, name, names) for key, name in rows]


def _names_of(session: Session, keys: Iterable[ApiKey]) -> dict[int, str]:
    ids = {workspace_id for key in keys for workspace_id in key.limited_to or ()}
    named = select(Workspace.id, Workspace.name).where(Workspace.id.in_(ids))
    return dict(session.execute(named).all()) if ids else {}


def revoke_key(session: Session, key_id: str, person_id: uuid.UUID | None = None) -> None:
    whose = ApiKey.id == key_id if person_id is None else and_(ApiKey.id == key_id, ApiKey.person_id == person_id)
    key = session.scalar(
        update(ApiKey).where(whose).values(revoked_at=func.coalesce(ApiKey.revoked_at, func.now())).returning(ApiKey.id)
    )
    if key is None:
        raise KeyNotFound(f"There is no key {key_id!r}.")


def list_tenants(session: Session) -> list[tuple[str, float]]:
    return [
        (name, weight) for name, weight in session.execute(select(Tenant.name, Tenant.weight).order_by(Tenant.name))
    ]


def set_weight(session: Session, name: str, weight: float) -> None:
    changed = update(Tenant).where(Tenant.name == name).values(weight=weight).returning(Tenant.id)
    if session.scalar(changed) is None:
        raise TenantNotFound(f"There is no tenant {name!r}; `citewell tenants list` shows them.")
