"""The schema: migrated, compared with the one that this program needs, and guarded by row-level security.

`python -m db.migrate` brings the configured database to the newest schema.
"""

import sys
from functools import cache
from pathlib import Path
from typing import Literal

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import text
from sqlalchemy.orm import Session

from config.settings import settings
from domain.errors.service import SchemaUnknown


def schema_revision(session: Session) -> str | None:
    """Return the database's revision; None when it was never migrated."""
    if session.scalar(text("SELECT to_regclass('alembic_version')")) is None:
        return None
    return session.scalar(text("SELECT version_num FROM alembic_version"))


def schema_state(session: Session) -> Literal["current", "newer", "outdated"]:
    """Compare the database's schema with this program's.

    A `newer` schema still fits, because migrations only add (a test ensures it): a program continues while, and after,
    a newer program migrates. Revisions are numbers; an unknown revision that is not a higher number is foreign and
    counts as `outdated`.
    """
    revision, head = schema_revision(session), head_revision()
    if revision == head:
        return "current"
    is_newer = revision is not None and revision.isdecimal() and int(revision) > int(head or 0)
    return "newer" if is_newer else "outdated"


@cache
def head_revision() -> str | None:
    return ScriptDirectory.from_config(alembic_config()).get_current_head()


_ABOVE = text("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")


def above_row_security(session: Session) -> bool:
    """Return whether the role of the connection ignores row-level security, and so does not separate tenants."""
    return session.execute(_ABOVE).scalar_one()


def alembic_config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).resolve().parents[1] / "migrations"))
    return config


def upgrade(database_url: str) -> None:
    """Run all missing migrations; does nothing if the schema is current.

    Raises SchemaUnknown when a newer version made the database.
    """
    config = alembic_config()
    config.attributes["url"] = database_url
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise SchemaUnknown(f"The database's schema is not known to this version of Citewell: {error}") from error


def main() -> None:
    try:
        upgrade(settings().database_url.get_secret_value())
    except SchemaUnknown as error:
        sys.exit(error.message)


if __name__ == "__main__":
    main()
