"""Inserts a row and the rows that refer to it in one statement, to save round trips on the way to an answer."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import inspect, text
from sqlalchemy.orm import Session

from db.base import Base


def insert_with_parts(session: Session, whole: Base, refers: str, parts: Iterable[Base]) -> None:
    """Insert `whole`, which gets its `id`, and `parts` of any tables, whose column `refers` gets it.

    Attributes that no object of a table has been given are left to the defaults of the database. The objects do not
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
