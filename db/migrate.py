"""Bring a database to the newest schema; `python -m db.migrate` does so for the configured one."""

import sys
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError

from config.settings import settings
from domain.errors import SchemaUnknown


def alembic_config() -> Config:
    """Alembic configuration for the migrations directory beside this package."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).resolve().parents[1] / "migrations"))
    return config


def upgrade(database_url: str) -> None:
    """Run all missing migrations; does nothing at head.

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
