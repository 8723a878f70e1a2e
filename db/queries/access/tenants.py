"""Tenants and their weights."""

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from db.models import Tenant
from domain.errors import TenantNotFound


def list_tenants(session: Session) -> list[tuple[str, float]]:
    """(name, weight) of all tenants, by name."""
    return [
        (name, weight) for name, weight in session.execute(select(Tenant.name, Tenant.weight).order_by(Tenant.name))
    ]


def set_weight(session: Session, name: str, weight: float) -> None:
    """Set a tenant's weight, which must be above 0. Raises TenantNotFound."""
    changed = update(Tenant).where(Tenant.name == name).values(weight=weight).returning(Tenant.id)
    if session.scalar(changed) is None:
        raise TenantNotFound(f"There is no tenant {name!r}; `citewell tenants list` shows them.")
