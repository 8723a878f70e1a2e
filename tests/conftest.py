"""Real servers for every test that needs one: each test process starts its own and stops them at the end."""

import os
from collections.abc import Generator

import pytest
from hypothesis import settings as hypothesis_settings
from sqlalchemy import delete

from citewell.supervisor.home import temporary_home
from citewell.supervisor.servers import EmbeddedServers
from config.settings import settings
from db.base import Base
from db.migrate import upgrade
from db.models import DEFAULT_TENANT, WHEEL_SPACE
from db.session import acting_for, dispose, system_transaction
from workers.celery_app import app

# A property that holds must not fail because the machine is busy.
hypothesis_settings.register_profile("citewell", deadline=None)
hypothesis_settings.load_profile("citewell")


@pytest.fixture(scope="session")
def servers() -> Generator[EmbeddedServers]:
    """Postgres and Valkey on a home of their own; under /tmp, because as root they run as somebody else."""
    with temporary_home() as home, EmbeddedServers(home, durable=False) as running:
        yield running


@pytest.fixture(scope="session")
def postgres_url(servers: EmbeddedServers) -> str:
    """A database at the head of the migrations."""
    upgrade(servers.database_url)
    return servers.database_url


@pytest.fixture(scope="session")
def redis_url(servers: EmbeddedServers) -> str:
    """A Redis-protocol server, and the application on it: its connection pool is made once per process."""
    url = servers.redis_url
    app.conf.update(broker_url=url, broker_write_url=url, result_backend=url)
    return url


@pytest.fixture
def database(postgres_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    """Settings that point to the test servers, and empty tables afterwards."""
    # A stack of another test in this process may still run on settings of its own.
    for name in [name for name in os.environ if name.startswith(("CITEWELL_", "GROQ_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CITEWELL_DATABASE_URL", postgres_url)
    monkeypatch.setenv("CITEWELL_REDIS_URL", redis_url)
    settings.cache_clear()
    dispose()
    with acting_for(DEFAULT_TENANT):
        yield postgres_url
    kept = {"tenants": DEFAULT_TENANT, "embedding_spaces": WHEEL_SPACE}
    with system_transaction() as session:
        for table in reversed(Base.metadata.sorted_tables):
            emptied = delete(table)
            session.execute(emptied.where(table.c.id != kept[table.name]) if table.name in kept else emptied)
    dispose()
    settings.cache_clear()
