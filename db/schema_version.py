"""Which schema the database has, and which one this program needs."""

from functools import cache

from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.orm import Session

from db.migrate import alembic_config


def schema_revision(session: Session) -> str | None:
    """The revision that the database is at; None when it was never migrated."""
    if session.scalar(text("SELECT to_regclass('alembic_version')")) is None:
        return None
    return session.scalar(text("SELECT version_num FROM alembic_version"))


@cache
def head_revision() -> str | None:
    """The newest revision in this program."""
    return ScriptDirectory.from_config(alembic_config()).get_current_head()
