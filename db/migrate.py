"""Bring a database to the newest schema."""

from pathlib import Path

from alembic import command
from alembic.config import Config

import migrations


def upgrade(database_url: str) -> None:
    """Run all missing migrations; does nothing on a database that is at head."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.attributes["url"] = database_url
    command.upgrade(config, "head")
