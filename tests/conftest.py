"""Real servers for every test that needs one: each test process starts its own and stops them at the end."""

import gc
import os
import signal
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

# Before numpy is imported: with more threads per process, short texts take five times as long (clients.embeddings).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import certifi
import pytest
from _pytest.nodeid import NodeId
from hypothesis import settings as hypothesis_settings
from sqlalchemy import create_engine, make_url, text
from xdist.scheduler import LoadGroupScheduling  # pyright: ignore[reportMissingTypeStubs]

from citewell.supervisor.home import temporary_home
from citewell.supervisor.servers.pair import EmbeddedServers
from config.settings import settings
from db.base import Base
from db.migrate import upgrade
from db.models import DEFAULT_TENANT, WHEEL_SPACE
from db.queries.access.workspaces import get_or_add_workspace
from db.session import acting_for, dispose, engine, transaction
from workers.celery_app import app

# Nothing of what is imported and collected is garbage: to look for some is a sixth of the CPU until the first test.
gc.disable()

# What a shell runs in the background ignores SIGINT, and so would every program that the tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A property that holds must not fail because the machine is busy.
hypothesis_settings.register_profile("citewell", deadline=None, max_examples=50)
hypothesis_settings.load_profile("citewell")


STACKS = ("groq_stack", "observed", "offline", "small_form")
"""The fixtures of tests/e2e that are a whole stack, which takes 20 seconds of CPU to start."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests in groups come first, after all shuffling, then those that are slow: one at the end would run alone.
    For the same reason those without servers come last: a module of them takes a second or two.

    Who uses a stack that all end-to-end tests share is in the group of that stack, so that it is started once.
    pytest-xdist 3.8 reads a test's group behind the `@` of its id, but writes it where pytest 9.2 does not look.
    """
    for item in items:
        stack = _stack(item)
        if stack and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(stack))
    for item in items if _grouped(config) else ():
        group = item.get_closest_marker("xdist_group")
        if group and not item.nodeid.endswith(f"@{group.args[0]}"):
            item._id = NodeId.parse(f"{item.nodeid}@{group.args[0]}")  # pyright: ignore[reportPrivateUsage]
    items.sort(
        key=lambda item: (
            *(item.get_closest_marker(name) is None for name in ("xdist_group", "slow")),
            "servers" not in getattr(item, "fixturenames", ()),
        )
    )


class ByModule(LoadGroupScheduling):
    """A module's tests go to one process, in the order above, and a group's to one as before.

    What a module starts, computes or keeps for its tests is so made once and not by each process. With a unit for each
    test, xdist also counts all tests that were ever given to a process whenever one ends.
    """

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        group = super()._split_scope(nodeid)
        return nodeid.partition("::")[0] if group == nodeid else group


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByModule | None:
    gc.enable()  # The process that distributes the tests collects none.
    return ByModule(config, log) if config.option.dist == "loadgroup" else None


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """A stack ends with the last test of its group: idle it takes a twentieth of a core from all that follows."""
    stack = _stack(item)
    if stack and nextitem and _stack(nextitem) != stack and isinstance(item, pytest.Function) and _grouped(item.config):
        for fixture in item._fixtureinfo.name2fixturedefs[stack]:  # pyright: ignore[reportPrivateUsage]
            fixture.finish(item._request)  # pyright: ignore[reportPrivateUsage, reportArgumentType]


def _stack(item: pytest.Item) -> str | None:
    return next((name for name in STACKS if name in getattr(item, "fixturenames", ())), None)


def _grouped(config: pytest.Config) -> bool:
    return bool(getattr(config.option, "loadgroup", False))


def pytest_collection_finish() -> None:
    """The garbage collector need not look at all collected tests again and again: that is a tenth of the CPU."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The event loop of tests that are coroutines."""
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def one_authority(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """One certificate authority instead of 120: each HTTP client reads them all, which takes 40 ms, and no test
    needs them."""
    end = "-----END CERTIFICATE-----\n"
    file = tmp_path_factory.mktemp("authorities") / "one.pem"
    file.write_text(Path(certifi.where()).read_text().partition(end)[0] + end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


@pytest.fixture(scope="session")
def servers() -> Generator[EmbeddedServers]:
    """Postgres and Valkey in their own home; under /tmp, because as root they run as another user."""
    with temporary_home() as home, EmbeddedServers(home, durable=False) as running:
        yield running


@pytest.fixture(scope="session")
def postgres_url(servers: EmbeddedServers) -> str:
    """A database at the head of the migrations."""
    upgrade(servers.database_url)
    return servers.database_url


@pytest.fixture(scope="session")
def redis_url(servers: EmbeddedServers) -> str:
    """A Redis-protocol server, and the Celery application using it: its connection pool is created once per process."""
    url = servers.redis_url
    app.conf.update(broker_url=url, broker_write_url=url, result_backend=url)
    return url


@pytest.fixture(scope="session")
def empty_tables(postgres_url: str) -> Generator[Callable[[], None]]:
    """Empties all tables except the rows of the migrations: one statement on its own connection.

    A function in the database, because forty statements take ten times as long as the work itself.
    """
    kept = {"tenants": f" WHERE id <> {DEFAULT_TENANT}", "embedding_spaces": f" WHERE id <> {WHEEL_SPACE}"}
    # An audit goes with its query; by itself nothing deletes it.
    tables = [table.name for table in reversed(Base.metadata.sorted_tables) if table.name != "audit_chains"]
    deletes = "".join(f'DELETE FROM "{name}"{kept.get(name, "")};' for name in tables)
    everybody = "PERFORM set_config('citewell.system', 'on', true);"
    body = f"LANGUAGE plpgsql AS $$ BEGIN {everybody} {deletes} END $$"
    own = create_engine(postgres_url, isolation_level="AUTOCOMMIT", connect_args={"options": "-c lock_timeout=10000"})
    with own.connect() as connection:
        connection.execute(text(f"CREATE FUNCTION pg_temp.empty_tables() RETURNS void {body}"))
        yield lambda: connection.execute(text("SELECT pg_temp.empty_tables()")).close()
    own.dispose()


@pytest.fixture
def database(
    postgres_url: str, redis_url: str, empty_tables: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> Generator[str]:
    """Settings that point to the test servers, and empty tables afterwards."""
    # A stack of another test in this process may still run on settings of its own.
    for name in [name for name in os.environ if name.startswith(("CITEWELL_", "GROQ_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CITEWELL_DATABASE_URL", postgres_url)
    monkeypatch.setenv("CITEWELL_REDIS_URL", redis_url)
    settings.cache_clear()
    _dispose_of_others(postgres_url)
    # The call above may have read them: what this test sets must count, whichever test made the pool.
    settings.cache_clear()
    with acting_for(DEFAULT_TENANT):
        yield postgres_url
    empty_tables()
    _dispose_of_others(postgres_url)
    settings.cache_clear()


@pytest.fixture
def workspace_w(database: str) -> None:
    """The workspace `w`, empty."""
    assert database
    with transaction() as session:
        get_or_add_workspace(session, "w")


@pytest.fixture
def default_workspace(database: str) -> None:
    """The workspace that a request without one means, empty."""
    assert database
    with transaction() as session:
        get_or_add_workspace(session, "default")


def _dispose_of_others(postgres_url: str) -> None:
    """Forget a pool of another database; that of the tests stays, because connecting costs more than most tests."""
    if engine().url != make_url(postgres_url):
        dispose()
