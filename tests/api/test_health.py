"""Health: the reported state of the process, of Postgres, of its schema, of the broker."""

import os
import signal
import socket
import time
from collections.abc import Callable, Generator

import httpx
import pytest
from sqlalchemy import create_engine, make_url, text

from citewell.supervisor.servers.pair import EmbeddedServers
from citewell.supervisor.servers.postgres import data_folder
from config.settings import settings
from db.migrate import head_revision
from db.session import dispose
from tests.api.problems import assert_problem


@pytest.fixture
def closed_port() -> Generator[int]:
    # Held for the length of the test, so that no other process listens there.
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


def use(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    settings.cache_clear()
    dispose()


def test_a_process_with_all_that_it_needs_is_ready(http: httpx.Client) -> None:  # A9
    assert http.get("/healthz").json()["status"] == "ok"
    ready = http.get("/readyz")
    assert ready.status_code == 200
    assert ready.json() == {
        "status": "ready",
        "keys": "off (loopback only)",
        "checks": {"postgres": "ok", "schema": "current", "role": "ordinary", "broker": "ok"},
    }


def test_without_the_broker_it_is_ready_and_says_so(
    http: httpx.Client, closed_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:  # A5
    use(monkeypatch, "CITEWELL_REDIS_URL", f"redis://127.0.0.1:{closed_port}/0")
    ready = http.get("/readyz")
    assert (ready.status_code, ready.json()["checks"]["broker"]) == (200, "unreachable")


def test_without_postgres_it_lives_but_is_not_ready(
    http: httpx.Client, database: str, closed_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:  # A9
    with monkeypatch.context() as away:
        url = f"postgresql+psycopg://citewell@127.0.0.1:{closed_port}/citewell"
        use(away, "CITEWELL_DATABASE_URL", url)
        assert http.get("/healthz").status_code == 200
        told = assert_problem(http.get("/readyz"), 503, "not_ready")
        unknown = {"schema": "unknown", "role": "unknown"}
        assert told["checks"] == {"postgres": "unreachable", **unknown, "broker": "ok"}
        for path in ("/v1/queries", "/v1/documents"):
            response = http.get(path)
            assert "CITEWELL_DATABASE_URL" in assert_problem(response, 503, "database_unavailable")["detail"]
            assert int(response.headers["retry-after"]) >= 1
    use(monkeypatch, "CITEWELL_DATABASE_URL", database)
    assert http.get("/readyz").status_code == 200


def test_on_a_database_without_the_schema_it_is_not_ready(
    http: httpx.Client, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # A9
    with monkeypatch.context() as elsewhere:
        use(elsewhere, "CITEWELL_DATABASE_URL", without_schema(database))
        told = assert_problem(http.get("/readyz"), 503, "not_ready")
        assert told["checks"]["schema"] == "outdated"
        assert "alembic upgrade head" in told["detail"]
    use(monkeypatch, "CITEWELL_DATABASE_URL", database)


@pytest.fixture
def revised(database: str) -> Generator[Callable[[str], None]]:
    """Set the revision that the database reports."""
    engine = create_engine(database, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:

        def revise(revision: str | None) -> None:
            connection.execute(text("UPDATE alembic_version SET version_num = :now"), {"now": revision})

        yield revise
        revise(head_revision())
    engine.dispose()


@pytest.mark.parametrize(
    ("revision", "status", "schema"),
    [("9999", 200, "newer"), ("0000", 503, "outdated"), ("cafe", 503, "outdated"), (None, 200, "current")],
)
def test_an_older_schema_is_refused_and_a_newer_one_is_not(
    http: httpx.Client, revised: Callable[[str], None], revision: str | None, status: int, schema: str
) -> None:  # A5
    revised(revision or str(head_revision()))
    ready = http.get("/readyz")
    assert (ready.status_code, ready.json()["checks"]["schema"]) == (status, schema)


@pytest.fixture
def superuser_url(servers: EmbeddedServers, database: str) -> Generator[str]:
    """The same database for its superuser, who has access for the length of a test."""
    data = data_folder(servers.home)
    rules, postmaster = data / "pg_hba.conf", int((data / "postmaster.pid").read_text().split()[0])
    kept = rules.read_text()
    rules.write_text(f"host all postgres 127.0.0.1/32 trust\n{kept}")
    os.kill(postmaster, signal.SIGHUP)
    yield make_url(database).set(username="postgres", password=None).render_as_string(hide_password=False)
    rules.write_text(kept)
    os.kill(postmaster, signal.SIGHUP)


def test_as_a_role_that_sees_all_tenants_it_is_not_ready(
    http: httpx.Client, database: str, superuser_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # A8
    with monkeypatch.context() as elsewhere:
        use(elsewhere, "CITEWELL_DATABASE_URL", superuser_url)
        deadline = time.monotonic() + 60  # until Postgres has read its rules again
        while (told := http.get("/readyz").json())["checks"]["postgres"] != "ok" and time.monotonic() < deadline:
            time.sleep(0.05)
        assert (told["status"], told["checks"]["schema"], told["checks"]["role"]) == (503, "current", "unrestricted")
        assert "BYPASSRLS" in told["detail"]
        assert "CITEWELL_DATABASE_URL" in told["detail"]
    use(monkeypatch, "CITEWELL_DATABASE_URL", database)
    assert http.get("/readyz").json()["checks"]["role"] == "ordinary"


def without_schema(database: str) -> str:
    """The address of a database on the same server that was never migrated."""
    return make_url(database).set(database="template1").render_as_string(hide_password=False)
