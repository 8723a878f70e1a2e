"""The migrations create exactly the schema that the models describe."""

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.util import CommandError
from sqlalchemy import create_engine, inspect, text

import db.models
from citewell.supervisor.servers.pair import EmbeddedServers
from db.base import Base
from db.migrate import alembic_config, upgrade

assert db.models.Query


@pytest.fixture
def empty_database(servers: EmbeddedServers, postgres_url: str) -> str:
    engine = create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("DROP DATABASE IF EXISTS from_empty WITH (FORCE)"))
        connection.execute(text("CREATE DATABASE from_empty"))
    engine.dispose()
    return servers.database_url.rsplit("/", 1)[0] + "/from_empty"


def test_head_of_the_migrations_equals_the_models(empty_database: str) -> None:
    upgrade(empty_database)
    engine = create_engine(empty_database)
    with engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), Base.metadata)
    engine.dispose()
    assert differences == []


def test_a_second_upgrade_changes_nothing(empty_database: str) -> None:
    upgrade(empty_database)
    upgrade(empty_database)
    engine = create_engine(empty_database)
    tables = set(inspect(engine).get_table_names())
    engine.dispose()
    assert tables == {*Base.metadata.tables, "alembic_version"}


def test_the_first_migration_is_not_undone(empty_database: str) -> None:
    upgrade(empty_database)
    config = alembic_config()
    config.attributes["url"] = empty_database
    with pytest.raises(CommandError, match="no schema before the first"):
        command.downgrade(config, "base")


def test_vectors_are_searched_through_an_hnsw_index(postgres_url: str) -> None:
    engine = create_engine(postgres_url)
    with engine.connect() as connection:
        definition = connection.scalar(
            text("SELECT indexdef FROM pg_indexes WHERE indexname = 'ix_chunk_vectors_space_1'")
        )
    engine.dispose()
    assert "USING hnsw (((embedding)::halfvec(512)) halfvec_cosine_ops) WHERE (space_id = 1)" in str(definition)
