"""Checks from its SQL that a migration only adds, so that older and newer programs both run on the database."""

import re
from collections.abc import Callable
from io import StringIO

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext

_NAME = r'(?:IF NOT EXISTS )?"?(?:public\.)?"?(\w+)"?'
_NEW_TABLE = re.compile(rf"CREATE TABLE {_NAME}")
_ON_TABLE = re.compile(
    rf"(?:ALTER TABLE|INSERT INTO|CREATE POLICY \w+ ON|CREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?\w+ ON"
    rf"|CREATE TRIGGER \w+ BEFORE [A-Z ]+ ON) {_NAME}"
)
_HARMLESS = re.compile(
    r"CREATE TABLE |CREATE EXTENSION IF NOT EXISTS |CREATE FUNCTION |COMMENT ON |SELECT set_config\(|BEGIN$|COMMIT$"
)
# On a table that has rows, and that programs of before write to.
_HARMLESS_ON_OLD = re.compile(
    r"CREATE INDEX CONCURRENTLY |ALTER TABLE \S+ ALTER COLUMN \S+ SET (?:STATISTICS|DEFAULT) |ALTER TABLE \S+ SET \("
    r"|ALTER TABLE \S+ ADD CONSTRAINT \S+ FOREIGN KEY.* NOT VALID$"
    # Reads the rows, and lets everybody write meanwhile.
    r"|ALTER TABLE \S+ VALIDATE CONSTRAINT \S+$"
    # Restricts nothing unless a transaction sets what programs of before do not know.
    r"|CREATE POLICY workspace_limit ON \S+ AS RESTRICTIVE USING "
    r"\(\(SELECT nullif\(current_setting\('citewell\.workspaces', true\), ''\)::bigint\[\]\) IS NULL OR "
)
_MADE = re.compile(r"CREATE INDEX CONCURRENTLY (\w+) ")
# An index that an interrupted attempt of this migration left unusable.
_LEFT_BEHIND = re.compile(r"DROP INDEX CONCURRENTLY IF EXISTS (\w+)$")
_ADDED = re.compile(r"ALTER TABLE \S+ ADD COLUMN (\w+) ")
# Of a column that programs of before do not know.
_CHECKED = re.compile(r"ALTER TABLE \S+ ADD CONSTRAINT \S+ CHECK \((\w+) [^()]*\) NOT VALID$")
_COLUMN = re.compile(r"ALTER TABLE \S+ ADD COLUMN ")
# Postgres rewrites each row for these.
_REWRITES = re.compile(r"random|clock_timestamp|uuid\w*\(|nextval|SERIAL\b|\bGENERATED\b", re.IGNORECASE)
_CONSTRAINED = re.compile(r"\b(?:UNIQUE|PRIMARY KEY|CHECK|REFERENCES)\b", re.IGNORECASE)


def sql_of(upgrade: Callable[[], None]) -> str:
    """The SQL that the upgrade of a migration would run; it must not query the database."""
    written = StringIO()
    options = {"as_sql": True, "output_buffer": written}
    with Operations.context(MigrationContext.configure(dialect_name="postgresql", opts=options)):
        upgrade()
    return written.getvalue()


def offences(sql: str) -> list[str]:
    """The statements that do more than add, each on one line; a statement not known to be harmless counts."""
    statements = [" ".join(re.sub(r"--[^\n]*", "", each).split()) for each in _split(sql)]
    new, made, added = (_names(pattern, statements) for pattern in (_NEW_TABLE, _MADE, _ADDED))
    replaced = _replaced(statements)
    return [each for each in statements if each and each not in replaced and not _only_adds(each, new, made, added)]


def _names(pattern: re.Pattern[str], statements: list[str]) -> set[str]:
    return {found[1] for each in statements if (found := pattern.match(each))}


def _replaced(statements: list[str]) -> set[str]:
    """The statements that drop an index after another one was created, as many as were created: older programs read it.

    A unique index is a promise, and stays.
    """
    made, found = 0, set[str]()
    for each in statements:
        made += bool(_MADE.match(each))
        dropped = _LEFT_BEHIND.match(each)
        if made > len(found) and dropped and dropped[1].startswith("ix_"):
            found.add(each)
    return found


def _split(sql: str) -> list[str]:
    # The text between dollar quotes is the body of a function.
    parts = re.split(r"(\$\w*\$.*?\$\w*\$)", sql, flags=re.DOTALL)
    return "$$".join(parts[::2]).split(";")


def _only_adds(statement: str, new: set[str], made: set[str], added: set[str]) -> bool:
    if _HARMLESS.match(statement):
        return True
    if left := _LEFT_BEHIND.match(statement):
        return left[1] in made
    if checked := _CHECKED.match(statement):
        return checked[1] in added
    table = _ON_TABLE.match(statement)
    if table and table[1] in new:
        return True
    if _COLUMN.match(statement):
        return _is_addable(statement)
    return bool(_HARMLESS_ON_OLD.match(statement))


def _is_addable(column: str) -> bool:
    """Whether older programs need not know the column, and it costs no rewriting of the table."""
    filled = "NOT NULL" not in column or " DEFAULT " in column
    return filled and not _REWRITES.search(column) and not _CONSTRAINED.search(column)
