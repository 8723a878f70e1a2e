"""The schema that the database has, and the one that this program needs."""

from functools import cache
from typing import Literal

from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.orm import Session

from db.migrate import alembic_config


def schema_revision(session: Session) -> str | None:
    """The database's revision; None when it was never migrated."""
    if session.scalar(text("SELECT to_regclass('alembic_version')")) is None:
        return None
    return session.scalar(text("SELECT version_num FROM alembic_version"))


def schema_state(session: Session) -> Literal["current", "newer", "outdated"]:
    """Compare the database's schema with this program's.

    `newer` still fits, because migrations only add (a test ensures it): a program goes on while, and after, a newer one
    migrates. Revisions are numbers; an unknown one that is not a higher number is foreign and counts as `outdated`.
    """
    revision, head = schema_revision(session), head_revision()
    if revision == head:
        return "current"
    is_newer = revision is not None and revision.isdecimal() and int(revision) > int(head or 0)
    return "newer" if is_newer else "outdated"


@cache
def head_revision() -> str | None:
    """The newest revision in this program."""
    return ScriptDirectory.from_config(alembic_config()).get_current_head()
