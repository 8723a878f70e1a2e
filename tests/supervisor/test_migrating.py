"""A separate process brings the schema up to date."""

import sys

import pytest
from sqlalchemy import NullPool, create_engine, text

from citewell.supervisor.apps import migrate
from citewell.supervisor.errors import StartFailed
from db.migrate import head_revision


@pytest.fixture
def other_database(postgres_url: str) -> str:
    """An empty database, with a role's password in its address."""
    engine = create_engine(postgres_url, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with engine.connect() as connection:
        connection.execute(text("DROP DATABASE IF EXISTS migrated_apart WITH (FORCE)"))
        connection.execute(text("CREATE DATABASE migrated_apart"))
    return postgres_url.rsplit("/", 1)[0] + "/migrated_apart"


@pytest.mark.slow
def test_a_new_database_gets_the_schema_and_one_of_a_newer_version_is_refused(other_database: str) -> None:
    migrate(other_database)
    with create_engine(other_database, poolclass=NullPool).begin() as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == head_revision()
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StartFailed, match=r"^The database's schema is not known to this version of Citewell: .*9999"):
        migrate(other_database)


def test_a_migration_that_cannot_run_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(StartFailed, match="exit code 1"):
        migrate("postgresql+psycopg://nobody@127.0.0.1:1/none")
