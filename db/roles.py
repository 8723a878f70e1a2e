"""Privileges of the database role that Citewell connects as."""

from sqlalchemy import text
from sqlalchemy.orm import Session

_ABOVE = text("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")


def above_row_security(session: Session) -> bool:
    """True if the role bypasses row-level security, so that nothing keeps tenants apart."""
    return session.execute(_ABOVE).scalar_one()
