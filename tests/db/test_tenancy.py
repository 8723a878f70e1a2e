"""Tenants cannot reach each other's rows, whatever a query forgets: the database ensures it (A8)."""

import contextvars
from collections.abc import Generator
from typing import Any

import pytest
from sqlalchemy import Table, func, select, text
from sqlalchemy.exc import DBAPIError, ProgrammingError

from db.base import Base
from db.migrate import above_row_security
from db.models import DEFAULT_TENANT, Tenant
from db.queries.access.keys import add_key, get_or_add_tenant
from db.session import acting_for, engine, reading, system_transaction, transaction
from tests.stored import store_answered_query

pytestmark = pytest.mark.usefixtures("database")

TABLES = [table for table in Base.metadata.sorted_tables if "tenant_id" in table.c]
# Tables of the installation rather than of a tenant.
SHARED = {
    *("evaluations", "embedding_spaces", "meter_totals", "model_choices", "process_meters", "sign_ins"),
    "worker_processes",
}

_ISOLATION = text("""
    SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity,
           array_agg(pg_get_expr(p.polqual, c.oid)), array_agg(pg_get_expr(p.polwithcheck, c.oid)),
           array_agg(p.polcmd::text || p.polpermissive::text || p.polroles::text)
    FROM pg_class c LEFT JOIN pg_policy p ON p.polrelid = c.oid AND p.polname <> 'workspace_limit'
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> 'alembic_version'
    GROUP BY c.oid
""")


@pytest.fixture
def stranger() -> int:
    """Another tenant; the first has a row in every table that an answered question fills."""
    with system_transaction() as session:
        tenant = get_or_add_tenant(session, "stranger", "whsec_")
    with transaction() as session:
        store_answered_query(session)
        add_key(session, "k", name="k", digest="", scopes=["read"], expires_in_days=None, requests_per_minute=None)
    return tenant


@pytest.fixture
def filled(stranger: int) -> dict[Table, dict[str, Any]]:
    """A row of the first tenant from every table that has one."""
    assert stranger
    rows: dict[Table, dict[str, Any]] = {}
    with reading() as session:
        for table in TABLES:
            columns = [column for column in table.c if column.computed is None]
            row = session.execute(select(*columns)).mappings().first()
            if row is not None:
                rows[table] = dict(row)
    assert len(rows) > 12
    return rows


@pytest.fixture
def nobody() -> Generator[Any]:
    """A connection of a query that forgot to name its tenant."""
    with engine().connect() as connection:
        yield connection


def test_every_table_has_the_same_forced_policy(nobody: Any) -> None:  # A8
    isolation = {row[0]: tuple(row)[1:] for row in nobody.execute(_ISOLATION)}
    assert isolation.keys() == {table.name for table in TABLES} | {"tenants"} | SHARED
    _, visible, writable, kind = isolation["workspaces"]
    assert visible == writable
    assert kind == ["*true{0}"]  # all commands, permissive, all roles
    assert "tenant_id = " in visible[0]
    assert "citewell.tenant" in visible[0]
    for table in TABLES:
        assert isolation[table.name] == (True, visible, writable, kind), table.name
    own = [rule.replace("tenant_id = ", "id = ") for rule in visible]
    assert isolation["tenants"] == (True, own, own, kind)
    # It holds keys of model servers.
    forced, shown, stored, _ = isolation["model_choices"]
    assert forced
    assert shown == stored
    assert "citewell.system" in shown[0]
    assert "citewell.tenant" not in shown[0]


def test_the_role_is_not_above_the_policies() -> None:  # A8
    with reading() as session:
        assert not above_row_security(session)


def test_without_a_tenant_nothing_is_visible(filled: dict[Table, Any], nobody: Any) -> None:  # A8
    for table in (*filled, Base.metadata.tables["tenants"]):
        assert nobody.scalar(select(func.count()).select_from(table)) == 0, table.name


@pytest.mark.parametrize("tenant", ["NULL", "DEFAULT", str(DEFAULT_TENANT)])
def test_without_a_tenant_nothing_can_be_inserted(nobody: Any, tenant: str) -> None:  # A8
    with pytest.raises(ProgrammingError, match="row-level security"):
        nobody.execute(text(f"INSERT INTO workspaces (name, tenant_id) VALUES ('w', {tenant})"))


def test_another_tenants_rows_cannot_be_read_changed_or_deleted(filled: dict[Table, Any], stranger: int) -> None:  # A8
    with acting_for(stranger), transaction() as session:
        for table in filled:
            assert session.scalar(select(func.count()).select_from(table)) == 0, table.name
            change = table.update().values(tenant_id=stranger).returning(table.c.tenant_id)
            assert session.execute(change).all() == [], table.name
            assert session.execute(table.delete().returning(table.c.tenant_id)).all() == [], table.name


def test_a_row_cannot_be_inserted_for_another_tenant(filled: dict[Table, Any], stranger: int) -> None:  # A8
    for table, row in filled.items():
        with (
            pytest.raises(ProgrammingError, match="row-level security"),
            acting_for(stranger),
            transaction() as session,
        ):
            session.execute(table.insert().values(row))


def test_a_row_cannot_be_given_to_another_tenant(filled: dict[Table, Any], stranger: int) -> None:  # A8
    for table in filled:
        # An audit cannot be changed at all, by any tenant.
        why = "append-only" if table.name == "audit_chains" else "row-level security"
        with pytest.raises(DBAPIError, match=why), transaction() as session:
            session.execute(table.update().values(tenant_id=stranger))


def test_a_tenant_sees_of_all_tenants_only_itself(stranger: int) -> None:  # A8
    with acting_for(stranger), transaction() as session:
        assert list(session.scalars(select(Tenant.id))) == [stranger]
        renamed = session.execute(text("UPDATE tenants SET name = name || '!' RETURNING id"))
        assert renamed.scalars().all() == [stranger]


def test_a_connection_goes_back_to_the_pool_without_a_tenant(nobody: Any) -> None:  # A8
    setting = text("SELECT coalesce(current_setting(:name, true), '')")
    with system_transaction() as session:
        assert session.scalar(setting, {"name": "citewell.system"}) == "on"
    with transaction() as session:
        assert session.scalar(setting, {"name": "citewell.tenant"}) == str(DEFAULT_TENANT)
        assert session.scalar(setting, {"name": "citewell.system"}) == ""
    assert [nobody.scalar(setting, {"name": f"citewell.{name}"}) for name in ("tenant", "system")] == ["", ""]


def test_a_transaction_for_nobody_is_a_programming_error() -> None:  # A8
    def forgetful() -> None:
        with transaction():
            pytest.fail("must not begin")

    with pytest.raises(LookupError):
        contextvars.Context().run(forgetful)
