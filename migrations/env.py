"""Alembic's entry: migrations run on a live connection, in one transaction each."""

from alembic import context
from sqlalchemy import create_engine, pool, text

import db.models  # noqa: F401  (fills the metadata)
from config.settings import settings
from db.base import Base


def run() -> None:
    """Apply or compare migrations; `-x url=…` names another database than the configured one."""
    url = context.get_x_argument(as_dictionary=True).get("url") or context.config.attributes.get("url")
    engine = create_engine(url or settings().database_url.get_secret_value(), poolclass=pool.NullPool)
    with engine.connect() as connection:
        # Migrations belong to no tenant; they see all rows.
        connection.execute(text("SELECT set_config('citewell.system', 'on', false)"))
        connection.commit()
        context.configure(connection=connection, target_metadata=Base.metadata, transaction_per_migration=True)
        with context.begin_transaction():
            context.run_migrations()


run()
