"""Row-level security, as the migrations apply it: a row belongs to a tenant; no other can see or write it.

The policies are forced, so they hold for the owner of the tables too; only a superuser or a role with BYPASSRLS is
above them, and readiness refuses to run as one. Without `citewell.tenant` nothing is visible. `citewell.system` opens
all rows: only `db.session.system_transaction` sets it, for work that belongs to no tenant. `citewell.workspaces` limits
a transaction to some workspaces of its tenant; where it is not set, nothing is limited.

Released migrations call these functions, so what they make stays the same.
"""

from alembic import op
from sqlalchemy import text

OWNER = text("nullif(current_setting('citewell.tenant', true), '')::bigint")

# As subqueries, so that Postgres evaluates them once per statement and not once per row.
_TENANT = "(SELECT nullif(current_setting('citewell.tenant', true), '')::bigint)"
_SYSTEM = "(SELECT coalesce(current_setting('citewell.system', true), '') = 'on')"

LIMITED_TO = "(SELECT nullif(current_setting('citewell.workspaces', true), '')::bigint[])"


def isolate(table: str, column: str = "tenant_id") -> None:
    """Force row-level security on `table`."""
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    rule = f"{column} = {_TENANT} OR {_SYSTEM}"
    op.execute(f"CREATE POLICY tenant_isolation ON {table} USING ({rule}) WITH CHECK ({rule})")


def show_to_system_only(table: str) -> None:
    """Force row-level security on a table of the installation that no request of a tenant may see."""
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY system_only ON {table} USING ({_SYSTEM}) WITH CHECK ({_SYSTEM})")


def limit(table: str, column: str, *, also: str | None = None) -> None:
    """Hide the rows of other workspaces from transactions limited to some; `also` is a further condition for them."""
    within = f"{column} = ANY ({LIMITED_TO}::bigint[])" + (f" AND {also}" if also else "")
    op.execute(f"CREATE POLICY workspace_limit ON {table} AS RESTRICTIVE USING ({LIMITED_TO} IS NULL OR {within})")


def limit_by_query(table: str) -> None:
    """Hide the rows of queries that a limited transaction does not see: `queries` has a limit of its own."""
    seen = f"EXISTS (SELECT FROM queries WHERE queries.id = {table}.query_id)"
    op.execute(f"CREATE POLICY workspace_limit ON {table} AS RESTRICTIVE USING ({LIMITED_TO} IS NULL OR {seen})")
