"""Vector indexes that are created at run time, one per embedding space."""

import time
from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy import Connection, create_engine, pool, text
from sqlalchemy.exc import ProgrammingError

from config.settings import settings
from db.queries.documents.spaces import Space
from domain.errors.service import SchemaUnknown
from domain.errors.state import ReembeddingRuns

_BUILDING = 0x43495449
_REEMBEDDING = 0x43495452
_WAIT_S = 0.2
_MEMORY = "2GB"

_IS_VALID = text("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(:name)")


def ensure_space_index(space: Space) -> None:
    """Create the index of the space if it is missing; return when it can be used.

    Nothing is blocked meanwhile: searches are exact until the index exists, and writes continue. The remains of an
    interrupted build are dropped first. Raises SchemaUnknown when the database's role does not own the table.
    """
    name = f"ix_chunk_vectors_space_{space.id}"
    with _outside_transactions() as connection:
        if connection.scalar(_IS_VALID, {"name": name}):
            return
        # Waiting inside Postgres would hold a snapshot, and the build itself waits for snapshots.
        while not connection.scalar(text("SELECT pg_try_advisory_lock(:lock)"), {"lock": _BUILDING}):
            time.sleep(_WAIT_S)
        if connection.scalar(_IS_VALID, {"name": name}):
            return
        try:
            connection.execute(text(f"SET maintenance_work_mem = '{_MEMORY}'"))
            connection.execute(text(f"DROP INDEX CONCURRENTLY IF EXISTS {name}"))
            connection.execute(
                text(
                    f"CREATE INDEX CONCURRENTLY {name} ON chunk_vectors "
                    f"USING hnsw ((embedding::halfvec({space.dimension})) halfvec_cosine_ops) "
                    f"WHERE space_id = {space.id}"
                )
            )
        except ProgrammingError as error:
            raise SchemaUnknown(
                f"The index of {space.model} could not be made: the role of CITEWELL_DATABASE_URL must own the tables, "
                "as it does when it runs the migrations."
            ) from error


@contextmanager
def exclusive_reembedding(workspace_id: int) -> Generator[None]:
    """Prevent concurrent re-embedding of a workspace while the block, or this process, lasts.

    Raises ReembeddingRuns.
    """
    with _outside_transactions() as connection:
        lock = {"class": _REEMBEDDING, "id": workspace_id % 2**31}
        if not connection.scalar(text("SELECT pg_try_advisory_lock(:class, :id)"), lock):
            raise ReembeddingRuns
        yield


@contextmanager
def _outside_transactions() -> Generator[Connection]:
    """Yield a connection without the pool's time limits; closing it releases its locks."""
    engine = create_engine(
        settings().database_url.get_secret_value(),
        poolclass=pool.NullPool,
        isolation_level="AUTOCOMMIT",
        connect_args={"connect_timeout": 5},
    )
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()
