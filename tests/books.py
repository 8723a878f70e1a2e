"""The contents of a database, for comparing two of them: per table the number of rows, and a hash over all of them."""

from psycopg import sql

from tests.supervisor.observers import connect

_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
_BOOK = "SELECT count(*), md5(coalesce(string_agg(md5(t::text), '' ORDER BY md5(t::text)), '')) FROM {} AS t"


def books(database_url: str, system: str = "on") -> dict[str, tuple[object, ...]]:
    """Rows and hash of every table, over all tenants unless `system` is off."""
    with connect(database_url, options=f"-c citewell.system={system}") as connection:
        names = [str(name) for (name,) in connection.execute(_TABLES)]
        found = {name: connection.execute(sql.SQL(_BOOK).format(sql.Identifier(name))).fetchone() for name in names}
    return {name: book for name, book in found.items() if book}
