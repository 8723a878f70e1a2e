"""Migrations after the first one only add, so that old and new programs both run during a rolling upgrade (A5)."""

from collections.abc import Callable

import sqlalchemy as sa
from alembic import op
from alembic.script import ScriptDirectory

from db.migrate import alembic_config
from migrations.tenancy import OWNER, isolate
from tests.db.additive import offences, sql_of
from verify_material.rows import for_all_rows

FIRST = "0001"
Upgrade = Callable[[], None]


def test_every_migration_only_adds() -> None:  # A5
    scripts = ScriptDirectory.from_config(alembic_config())
    since = list(scripts.iterate_revisions("head", FIRST))
    assert {script.revision: offences(sql_of(script.module.upgrade)) for script in since} == {
        script.revision: [] for script in since
    }


def _add(column: sa.Column[object]) -> Upgrade:
    return lambda: op.add_column("queries", column)


def _run(sql: str) -> Upgrade:
    return lambda: op.execute(sql)


def _replace(index: str, by: str, *, first: bool = False) -> None:
    def drop() -> None:
        op.drop_index(index, "queries", if_exists=True, postgresql_concurrently=True)

    if first:
        drop()
    op.create_index(by, "queries", ["mode"], postgresql_concurrently=True)
    if not first:
        drop()


BAD: dict[str, Upgrade] = {
    "drops a table": lambda: op.drop_table("events"),
    "drops a column": lambda: op.drop_column("queries", "mode"),
    "drops an index": lambda: op.drop_index("ix_queries_status", "queries"),
    "drops a constraint": lambda: op.drop_constraint("fk_workspaces_space_id", "workspaces"),
    "renames a table": lambda: op.rename_table("events", "told"),
    "renames a column": lambda: op.alter_column("queries", "mode", new_column_name="manner"),
    "changes a type": lambda: op.alter_column("queries", "mode", type_=sa.Integer()),
    "demands a value": lambda: op.alter_column("queries", "mode", nullable=False),
    "lets a value be missing": lambda: op.alter_column("queries", "mode", nullable=True),
    "a column that must be filled": _add(sa.Column("weight", sa.Integer(), nullable=False)),
    "a column filled at random": _add(sa.Column("key", sa.Uuid(), server_default=sa.text("gen_random_uuid()"))),
    "a computed column": _add(sa.Column("twice", sa.Integer(), sa.Computed("number * 2", persisted=True))),
    "a counted column": _add(sa.Column("place", sa.BigInteger(), sa.Identity())),
    "a unique column": lambda: op.create_unique_constraint("uq_queries_mode", "queries", ["mode"]),
    "a checked column": lambda: op.create_check_constraint("ck_queries_mode", "queries", "mode <> ''"),
    "a foreign key that is checked now": lambda: op.create_foreign_key("fk", "queries", "tenants", ["x"], ["id"]),
    "an index that stops writing": lambda: op.create_index("ix_queries_mode", "queries", ["mode"]),
    "drops another index": lambda: op.drop_index("ix", "queries", if_exists=True, postgresql_concurrently=True),
    "drops an index before there is another": lambda: _replace("ix_queries_mode", "ix_queries_manner", first=True),
    "drops a unique index": lambda: _replace("uq_documents_content", "ix_documents_content"),
    "a check of an old column": lambda: op.create_check_constraint(
        "ck", "queries", "mode > ''", postgresql_not_valid=True
    ),
    "a unique index": lambda: op.create_index("ix", "queries", ["mode"], unique=True, postgresql_concurrently=True),
    "rows written anew": _run("UPDATE queries SET mode = 'fast'"),
    "rows deleted": _run("DELETE FROM queries"),
    "rows for old programs": _run("INSERT INTO tenants (name) VALUES ('x')"),
    "a policy on an old table": lambda: isolate("queries"),
    "a trigger": _run("CREATE TRIGGER t BEFORE INSERT ON queries FOR EACH ROW EXECUTE FUNCTION f()"),
    "a function made anew": _run("CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1; $$"),
    "something unforeseen": _run("DO $$ BEGIN NULL; END $$"),
    "behind something good": _run("SELECT set_config('a.b', 'on', false); TRUNCATE queries"),
    "behind a remark": _run("-- only adds\nDROP TABLE queries"),
}


@for_all_rows("upgrade", BAD.values())
def test_what_does_more_than_add_is_found(upgrade: Upgrade) -> None:
    assert len(offences(sql_of(upgrade))) >= 1


def _all_that_may_be() -> None:
    op.create_table(
        "places",
        sa.Column("id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column("tenant_id", sa.BigInteger(), server_default=OWNER, nullable=False),
        sa.Column("query_id", sa.Uuid(), sa.ForeignKey("queries.id", ondelete="CASCADE"), nullable=False),
        sa.UniqueConstraint("query_id"),
    )
    op.create_index("ix_places_query_id", "places", ["query_id"], unique=False)
    isolate("places")
    op.execute("INSERT INTO places (query_id) VALUES (gen_random_uuid())")
    op.add_column("queries", sa.Column("weight", sa.Integer(), server_default="1", nullable=False))
    op.add_column("queries", sa.Column("replay_of", sa.Uuid(), nullable=True))
    op.add_column("queries", sa.Column("seen_at", sa.DateTime(timezone=True), server_default=sa.text("now()")))
    with op.get_context().autocommit_block():
        op.create_index(
            "ix_queries_waiting",
            "queries",
            ["created_at"],
            postgresql_concurrently=True,
            postgresql_where=sa.text("status = 'queued'"),
        )
        _replace("ix_queries_mode", "ix_queries_manner")
    op.execute("ALTER TABLE queries ADD CONSTRAINT fk_r FOREIGN KEY (replay_of) REFERENCES queries (id) NOT VALID")
    op.execute("CREATE FUNCTION place() RETURNS int LANGUAGE plpgsql AS $$ BEGIN DELETE FROM places; END; $$")


def test_what_only_adds_passes() -> None:
    assert offences(sql_of(_all_that_may_be)) == []
