"""Transient database errors are told apart from permanent ones."""

import uuid
from collections.abc import Generator
from contextlib import ExitStack, suppress

import pytest
from sqlalchemy import Engine, NullPool, QueuePool, create_engine, text
from sqlalchemy.exc import DBAPIError

from config.settings import settings
from db.models import Query
from db.session import dispose, engine, reading, system_transaction, transaction
from domain.errors.service import DatabaseUnavailable
from services.operations.readiness import check_readiness
from tests.factories import make_query
from verify_material.rows import for_all_rows

pytestmark = pytest.mark.usefixtures("database")


@for_all_rows("state", ["40P01", "40001", "55P03", "53100", "57P01", "25006"])
def test_what_will_pass_is_worth_another_try(state: str) -> None:  # A5
    with pytest.raises(DatabaseUnavailable), transaction() as session:
        session.execute(text(f"DO $$ BEGIN RAISE EXCEPTION USING errcode = '{state}'; END $$"))


@pytest.mark.parametrize("state", ["22003", "23505", "42P01", "57014"])
def test_what_is_wrong_stays_an_error(state: str) -> None:
    with pytest.raises(DBAPIError), transaction() as session:
        session.execute(text(f"DO $$ BEGIN RAISE EXCEPTION USING errcode = '{state}'; END $$"))


def test_a_lock_that_is_held_for_too_long_is_worth_another_try() -> None:  # A5
    with transaction() as session:
        query_id = make_query(session).id
    update = text("UPDATE queries SET stage = 'x' WHERE id = :id")
    with transaction() as holder:
        holder.execute(update, {"id": query_id})
        impatient = text("SELECT set_config('lock_timeout', '50ms', true)")
        with pytest.raises(DatabaseUnavailable), transaction() as session:
            assert [session.execute(impatient), session.execute(update, {"id": query_id})]


def test_a_statement_planned_before_a_migration_is_worth_another_try(kinds: Engine) -> None:  # A5
    statement = text("SELECT * FROM kinds")

    def read() -> object:
        with reading() as session:
            return session.scalar(statement)

    assert [read() for _ in range(4)] == [1] * 4  # It is prepared by now.
    with kinds.begin() as connection:
        connection.execute(text("ALTER TABLE kinds ALTER COLUMN kind TYPE text"))
    with pytest.raises(DatabaseUnavailable):
        read()
    assert read() == "1"


@pytest.fixture
def kinds(database: str) -> Generator[Engine]:
    """A table of one number, and the engine of the program that may change it."""
    other = create_engine(database, poolclass=NullPool)
    with other.begin() as connection:
        connection.execute(text("CREATE TABLE kinds AS SELECT 1 AS kind"))
    yield other
    with other.begin() as connection:
        connection.execute(text("DROP TABLE kinds"))


def test_connections_that_died_in_the_pool_are_found_out_before_anything_is_lost() -> None:  # A5
    with transaction() as first, transaction() as second:
        pids = {session.scalar(text("SELECT pg_backend_pid()")) for session in (first, second)}
    assert len(pids) == 2
    with create_engine(settings().database_url.get_secret_value(), poolclass=NullPool).begin() as connection:
        connection.execute(
            # With a timeout it waits until they have ended: half a minute at most, although they end at once.
            text("SELECT pg_terminate_backend(pid, 30000) FROM unnest(CAST(:pids AS int[])) AS pid"),
            {"pids": [*pids]},
        )
    with transaction() as session:
        query_id = make_query(session).id
    with reading() as session:
        assert session.get(Query, query_id) is not None


@pytest.fixture
def own_pool(database: str) -> None:
    """A new pool: what an earlier test left behind may hold a connection of the old one until it is collected."""
    assert database
    dispose()


@pytest.mark.usefixtures("own_pool")
def test_as_few_connections_as_possible_do_the_work_and_plan_its_statements() -> None:  # A2
    backend = text("SELECT pg_backend_pid()")
    with ExitStack() as many:
        opened = {many.enter_context(reading()).scalar(backend) for _ in range(_kept())}
    used: set[int | None] = set()
    for _ in range(12):
        with reading() as session:
            used.add(session.scalar(backend))
    assert (len(opened), len(used), used <= opened) == (_kept(), 1, True)


@pytest.mark.usefixtures("own_pool")
def test_work_that_has_all_connections_does_not_make_the_database_look_away() -> None:  # A5
    with ExitStack() as work:
        for _ in range(_kept()):
            work.enter_context(system_transaction())
        assert check_readiness(settings()).postgres == "ok"


def _kept() -> int:
    """The connections for work; there are no further ones."""
    with reading():
        pool = engine().pool
    assert isinstance(pool, QueuePool)
    return pool.size()


def test_what_is_not_committed_is_gone() -> None:
    query_id = uuid.uuid4()
    with suppress(ZeroDivisionError), transaction() as session:
        make_query(session, query_id=query_id)
        raise ZeroDivisionError
    with reading() as session:
        assert session.get(Query, query_id) is None
        # And no tenant is set after a transaction's end.
    with engine().connect() as connection:
        assert connection.scalar(text("SELECT current_setting('citewell.tenant', true)")) in (None, "")
