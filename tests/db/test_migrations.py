"""The migrations create exactly the schema that the models describe."""

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import NullPool, create_engine, inspect, text

import db.models
from citewell.supervisor.servers.pair import EmbeddedServers
from db.base import Base
from db.migrate import alembic_config, upgrade

assert db.models.__all__


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


_BEFORE_SPACES = """
    SELECT set_config('citewell.system', 'on', false);
    INSERT INTO workspaces (id, tenant_id, name, embedding_model, embedding_dimension) VALUES
        (1, 1, 'a', 'use-multilingual-v3', 512), (2, 1, 'b', 'another', 512), (3, 1, 'empty', NULL, NULL);
    INSERT INTO documents (id, tenant_id, workspace_id, number, filename, sha256, size_bytes)
        SELECT gen_random_uuid(), 1, id, 0, 'f', '', 1 FROM workspaces WHERE id < 3;
    INSERT INTO chunks (tenant_id, workspace_id, document_id, chunk_id, chunk_index, start_index, end_index, text,
                        sha256, embedding)
        SELECT 1, workspace_id, id, 'c', 0, 0, 1, '글', '', array_fill(0.5, ARRAY[512])::vector FROM documents;
"""
_SPACES = """
    SELECT w.name, s.model, left(v.embedding::text, 5), v.sha256 = sha256(convert_to('글', 'UTF8'))
    FROM workspaces w LEFT JOIN embedding_spaces s ON s.id = w.space_id
    LEFT JOIN chunk_vectors v ON v.workspace_id = w.id AND v.space_id = s.id ORDER BY w.id
"""
_SEES_ALL = "SELECT set_config('citewell.system', 'on', false)"


def test_vectors_of_before_the_spaces_are_kept_both_ways(empty_database: str) -> None:  # A5
    config = alembic_config()
    config.attributes["url"] = empty_database
    command.upgrade(config, "0006")
    engine = create_engine(empty_database, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with engine.connect() as connection:
        for statement in _BEFORE_SPACES.strip().split(";\n"):
            connection.execute(text(statement))
    command.upgrade(config, "head")
    with engine.connect() as connection:
        connection.execute(text(_SEES_ALL))
        assert [tuple(row) for row in connection.execute(text(_SPACES))] == [
            ("a", "use-multilingual-v3", "[0.5,", True),
            ("b", "another", "[0.5,", True),
            ("empty", None, None, None),
        ]
    command.downgrade(config, "0006")
    with engine.connect() as connection:
        connection.execute(text(_SEES_ALL))
        kept = connection.execute(text("SELECT embedding_model FROM workspaces ORDER BY id")).scalars().all()
        assert kept == ["use-multilingual-v3", "another", None]
        assert connection.scalar(text("SELECT count(*) FROM chunks WHERE vector_dims(embedding) = 512")) == 2


def test_vectors_are_searched_through_an_hnsw_index(postgres_url: str) -> None:
    engine = create_engine(postgres_url)
    with engine.connect() as connection:
        definition = connection.scalar(
            text("SELECT indexdef FROM pg_indexes WHERE indexname = 'ix_chunk_vectors_space_1'")
        )
    engine.dispose()
    assert "USING hnsw (((embedding)::halfvec(512)) halfvec_cosine_ops) WHERE (space_id = 1)" in str(definition)
