"""What the role may that Citewell connects as."""

from sqlalchemy import text
from sqlalchemy.orm import Session

_ABOVE = text("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")


def above_row_security(session: Session) -> bool:
    """Whether row-level security does not hold for this role, so that nothing keeps tenants apart."""
    return session.execute(_ABOVE).scalar_one()
