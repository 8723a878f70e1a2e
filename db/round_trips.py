"""Saves round trips on the way to an answer: database functions called from an event loop, each call one transaction
(`migrations.step_functions`); and a row inserted together with the rows that refer to it.

The first argument of a function is the tenant that it acts for, so row-level security applies as in any transaction.
"""

import asyncio
import json
import os
import select
import weakref
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy import Engine, inspect, text
from sqlalchemy.orm import Session

from db.base import Base
from db.session import CONNECTING, LIMITS_MS, current_tenant, engine, has_stale_plan, is_transient
from domain.errors.service import DatabaseUnavailable

_MOST = 2
"""Connections per event loop: a transaction takes a few milliseconds, and each connection plans every statement
itself.
"""
_WAIT_S = 10.0
"""The timeout for a free connection."""
# The statements in the functions touch one query's rows: their plans do not depend on the values, and only loops over
# an index read no other rows. A plan made while a table was small would later hash the rows of all queries.
_OPTIONS = f"{LIMITS_MS} -c plan_cache_mode=force_generic_plan -c enable_hashjoin=off -c enable_mergejoin=off"

_Connection = psycopg.AsyncConnection[tuple[Any, ...]]


class Refused(Exception):
    """The database rejected these values."""


async def call(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a statement that calls one function; `%(tenant)s` is the tenant that the caller acts for.

    Raises DatabaseUnavailable as `db.session.transaction` does, Refused for any other database error, and LookupError
    outside of `acting_for`. If the connection is lost, the function may still have committed, so a retry must also work
    after a call that did everything.
    """
    values = {"tenant": current_tenant(), **values}
    try:
        async with _of_this_loop().connection() as connection:
            cursor = await connection.execute(statement.encode(), values)
            return await cursor.fetchall()
    except psycopg.Error as error:
        if is_transient(error):
            raise DatabaseUnavailable from error
        raise Refused(error.sqlstate) from error
    except UnicodeEncodeError as error:
        raise Refused from error


class _Connections:
    """The connections of one event loop to the database of `engine`. The most recently used connection is taken first,
    so that few of them plan the statements; psycopg's own pool takes the one that is idle longest, and queries the
    server before handing it out."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._process = os.getpid()
        self._idle: list[_Connection] = []
        self._places = asyncio.Semaphore(_MOST)

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[_Connection]:
        try:
            async with asyncio.timeout(_WAIT_S):
                await self._places.acquire()
        except TimeoutError:
            raise DatabaseUnavailable("All database connections of this process are busy; try again.") from None
        try:
            if (connection := self._taken()) is None:
                _, arguments = self.engine.dialect.create_connect_args(self.engine.url)
                own: dict[str, Any] = {**CONNECTING, "options": _OPTIONS, "prepare_threshold": 1}
                connection = await psycopg.AsyncConnection.connect(**{**arguments, **own})
            try:
                yield connection
            except psycopg.errors.FeatureNotSupported as error:
                if has_stale_plan(error):
                    await connection.close()
                raise
            finally:
                # After a cancellation or a network error the connection may be in the middle of a call, so it is not
                # reused.
                if connection.info.transaction_status == TransactionStatus.IDLE:
                    self._idle.append(connection)
                else:
                    await connection.close()
        finally:
            self._places.release()

    def _taken(self) -> _Connection | None:
        while self._idle:
            connection = self._idle.pop()
            if _is_silent(connection):
                return connection
            connection.pgconn.finish()
        return None

    def close(self) -> None:
        # In a forked process the connections belong to the parent.
        for connection in self._idle if self._process == os.getpid() else ():
            connection.pgconn.finish()
        self._idle.clear()


def _is_silent(connection: _Connection) -> bool:
    # A server that went away has closed its end: the socket is readable although nothing was requested.
    if connection.closed:
        return False
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return not poll.poll(0)


_connections: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Connections] = weakref.WeakKeyDictionary()


def _of_this_loop() -> _Connections:
    loop, current = asyncio.get_running_loop(), engine()
    connections = _connections.get(loop)
    if connections is None or connections.engine is not current:
        # The process has a new engine because its settings have changed, as in tests.
        if connections is not None:
            connections.close()
        connections = _connections[loop] = _Connections(current)
        weakref.finalize(loop, connections.close)
    return connections


def text_array(texts: Iterable[str]) -> str:
    """Return the literal of an array of these texts, for a parameter that is cast to `text[]`.

    The driver would run a regular expression over each text, and look up the type of every list again.
    """
    quoted = (text_.replace("\\", "\\\\").replace('"', '\\"') for text_ in texts)
    return "{" + ",".join(f'"{text_}"' for text_ in quoted) + "}"


def bytes_array(values: Iterable[bytes]) -> str:
    """Return the literal of an array of these bytes, for a parameter that is cast to `bytea[]`."""
    return text_array(f"\\x{value.hex()}" for value in values)


def insert_with_parts(session: Session, whole: Base, refers: str, parts: Iterable[Base]) -> None:
    """Insert `whole`, which gets its `id`, and `parts` of any tables, whose column `refers` gets that id.

    Attributes that are not set on any object of a table are left to the defaults of the database. The objects do not
    become part of the session.
    """
    of_tables: dict[type[Base], list[Base]] = {}
    for part in parts:
        of_tables.setdefault(type(part), []).append(part)
    values, inserts = {"whole": _rows([whole])}, [_insert("whole", [whole], returning="id")]
    for number, rows in enumerate(of_tables.values()):
        name = f"part_{number}"
        values[name] = _rows(rows)
        inserts.append(_insert(name, rows, refers=refers))
    statement = f"WITH {', '.join(inserts)} SELECT id FROM whole"  # noqa: S608 - only names of tables and columns
    id_ = session.execute(text(statement), values).scalar_one()
    for row, name in [(whole, "id"), *((part, refers) for rows in of_tables.values() for part in rows)]:
        setattr(row, name, id_)


def _insert(name: str, rows: Sequence[Base], *, refers: str = "", returning: str = "") -> str:
    table = rows[0].__tablename__
    columns = [f'"{column}"' for column in dict.fromkeys(column for row in rows for column in _given(row))]
    source = f"json_populate_recordset(CAST(NULL AS {table}), CAST(:{name} AS json)) AS given"
    into, values = columns, [f"given.{column}" for column in columns]
    if refers:
        into, values, source = [refers, *into], ["whole.id", *values], f"whole, {source}"
    end = f" RETURNING {returning}" if returning else ""
    return f"{name} AS (INSERT INTO {table} ({', '.join(into)}) SELECT {', '.join(values)} FROM {source}{end})"  # noqa: S608


def _rows(rows: Sequence[Base]) -> str:
    return json.dumps([_given(row) for row in rows], default=str)


def _given(row: Base) -> dict[str, Any]:
    return {column.name: row.__dict__[key] for key, column in inspect(type(row)).c.items() if key in row.__dict__}
