"""Functions of the database that a loop calls: one round trip, one transaction, one tenant."""

import asyncio

import psycopg
import pytest
from sqlalchemy import make_url, text

from config.settings import settings
from db import round_trips
from db.round_trips import Refused, bytes_array, call, text_array
from db.session import acting_for, dispose, system_transaction
from domain.errors.service import DatabaseUnavailable

pytestmark = pytest.mark.usefixtures("database")

SESSION = "SELECT pg_backend_pid(), current_setting('citewell.tenant', true), set_config('citewell.tenant', '7', true)"


async def test_a_connection_keeps_no_tenant_for_whoever_has_it_next() -> None:  # A8
    [(first, _, _)] = await call(SESSION, {})
    [(second, before, _)] = await call(SESSION, {})
    assert (first, before) == (second, "")


async def test_who_says_for_whom_it_is_called() -> None:  # A8
    with acting_for(5):
        assert await call("SELECT %(tenant)s::int, %(given)s::text", {"given": "글"}) == [(5, "글")]


async def test_a_connection_that_the_server_closed_is_replaced_before_anything_is_asked() -> None:  # A5
    [(first, *_)] = await call(SESSION, {})
    with system_transaction() as session:
        assert session.execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": first}).scalar_one()
    [(second, *_)] = await call(SESSION, {})
    assert first != second


async def test_what_the_address_says_of_connecting_does_not_keep_anybody_from_it(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = make_url(postgres_url).update_query_dict({"connect_timeout": "3", "options": "-c work_mem=5MB"})
    monkeypatch.setenv("CITEWELL_DATABASE_URL", address.render_as_string(hide_password=False))
    settings.cache_clear()
    dispose()
    try:
        assert await call("SELECT 1", {}) == [(1,)]
    finally:
        monkeypatch.undo()
        settings.cache_clear()
        dispose()


async def test_a_call_that_loses_its_connection_may_be_made_again() -> None:  # A5
    with pytest.raises(DatabaseUnavailable):
        await call("SELECT pg_terminate_backend(pg_backend_pid())", {})
    assert await call("SELECT 1", {}) == [(1,)]


async def test_a_call_planned_before_a_migration_may_be_made_again() -> None:  # A5
    def define(kind: str) -> None:
        with system_transaction() as session:
            session.execute(text("DROP FUNCTION IF EXISTS a_value()"))
            session.execute(text(f"CREATE FUNCTION a_value() RETURNS {kind} LANGUAGE sql AS 'SELECT 1::{kind}'"))

    define("int")
    try:
        assert [await call("SELECT * FROM a_value()", {}) for _ in range(3)] == [[(1,)]] * 3
        define("text")
        with pytest.raises(DatabaseUnavailable):
            await call("SELECT * FROM a_value()", {})
        assert await call("SELECT * FROM a_value()", {}) == [("1",)]
    finally:
        with system_transaction() as session:
            session.execute(text("DROP FUNCTION a_value()"))


async def test_what_was_cancelled_leaves_no_work_and_no_connection_behind() -> None:  # A5
    slow = asyncio.ensure_future(call("SELECT pg_sleep(50)", {}))
    await until_sleepers(1)
    slow.cancel()
    await asyncio.gather(slow, return_exceptions=True)
    await until_sleepers(0)


async def until_sleepers(count: int) -> None:
    """Wait for so many connections that sleep for 50 s; a server's process ends a moment after its connection."""
    asked = "SELECT count(*)::int FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(50%%'"
    async with asyncio.timeout(30):
        while await call(asked, {}) != [(count,)]:
            await asyncio.sleep(0.01)


async def test_who_finds_no_free_connection_in_time_is_told(monkeypatch: pytest.MonkeyPatch) -> None:  # A7
    monkeypatch.setattr(round_trips, "_MOST", 1)
    monkeypatch.setattr(round_trips, "_WAIT_S", 0.1)

    slow = asyncio.ensure_future(call("SELECT pg_sleep(30)", {}))
    await asyncio.sleep(0)  # it has the only place now
    with pytest.raises(DatabaseUnavailable, match="busy"):
        await call("SELECT 1", {})
    slow.cancel()
    await asyncio.gather(slow, return_exceptions=True)


@pytest.mark.parametrize("value", ["a NUL \x00 in it", "half a pair \ud83d"])
async def test_what_no_database_takes_is_refused_and_no_reason_to_try_again(value: str) -> None:
    with pytest.raises(Refused) as refused:
        await call("SELECT %(value)s::text", {"value": value})
    assert isinstance(refused.value.__cause__, psycopg.Error | UnicodeEncodeError)
    assert await call("SELECT 1", {}) == [(1,)]


async def test_arrays_that_are_written_as_literals_arrive_as_they_are() -> None:
    texts = ["", "NULL", "null", 'a "quote"', "back\\slash", "\\", "a,b", "{c}", " d ", "글\n", "\\x00"]
    data = [b"", b'\x00\xff\\"']
    given = {"texts": text_array(texts), "data": bytes_array(data), "none": text_array([])}
    assert await call("SELECT %(texts)s::text[], %(data)s::bytea[], %(none)s::text[]", given) == [(texts, data, [])]
