"""A home of `citewell up` backed up while it runs, restored into an empty one and into a running one (F12)."""

import os
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from citewell.cli.main import run
from citewell.supervisor.home import temporary_home
from citewell.supervisor.servers.pair import EmbeddedServers
from citewell.supervisor.state import running_server
from citewell_verify.embeddings.wheel import default_embedder
from config.settings import settings
from db.copying import create_database, drop_database
from services.documents.documents import NewDocument, accept_document
from services.documents.ingestion import ingest
from services.queries.submission import NewQuery, submit_query
from tests.books import books
from tests.e2e.stack import Stack
from tests.leases import hold
from tests.waiting import until

pytestmark = pytest.mark.slow

POLICY = "Returns are accepted within 30 days of the purchase. A receipt is required for every return."
QUESTION = "Within how many days are returns accepted?"
BESIDE = "restored_beside"
# Tables that only a question and a document change.
BOOKS = {"answers", "audit_chains", "chunks", "citations", "documents", "document_files", "verification_sentences"}
Command = Callable[..., int]


@pytest.fixture
def command(database: str, monkeypatch: pytest.MonkeyPatch) -> Command:
    """`command("ask", …, CITEWELL_HOME=…)`: a command line with only this environment; returns its exit code."""
    assert database

    def ran(*arguments: str, **environment: str) -> int:
        with monkeypatch.context() as told:
            for name in [name for name in os.environ if name.startswith(("CITEWELL_", "GROQ_"))]:
                told.delenv(name)
            for name, value in environment.items():
                told.setenv(name, value)
            settings.cache_clear()
            code = run(arguments)
        settings.cache_clear()
        return code

    return ran


@contextmanager
def up(home: Path) -> Generator[str]:
    """`citewell up` as a process for the length of the block; yields the address of its API."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CITEWELL_", "GROQ_"))}
    program = [sys.executable, "-m", "citewell.cli.main", "up", "--port", "0"]
    with (
        (home / "up.log").open("w") as log,
        subprocess.Popen(program, env={**kept, "CITEWELL_HOME": str(home)}, stdout=log, stderr=log) as running,
    ):
        try:
            until(lambda: running_server(home) is not None, seconds=120)
            state = running_server(home)
            assert state
            yield state.url
        finally:
            running.terminate()


@pytest.fixture
def waiting(command: Command, database: str, tmp_path: Path) -> tuple[str, str]:
    """The backup of a database without workers, and the id of the question that waits there."""
    found = accept_document(NewDocument("policy.txt", POLICY.encode(), "team"), settings())
    ingest(found.document_id, default_embedder(), settings().ingestion, hold)
    query_id = submit_query(NewQuery(question=QUESTION, workspace="team"), settings())
    file = str(tmp_path / "waiting.backup")
    assert command("backup", file, CITEWELL_DATABASE_URL=database) == 0
    return file, str(query_id)


def proof(url: str, query_id: str) -> list[object]:
    """The answer with all its results, if its audit is intact."""
    path = f"{url}/v1/queries/{query_id}"
    assert httpx.get(f"{path}/audit/check").raise_for_status().json()["intact"]
    return [httpx.get(each).raise_for_status().json() for each in (path, f"{path}/verifications", f"{path}/audit")]


def test_everything_comes_back_and_what_waited_goes_on(
    offline: Stack, command: Command, waiting: tuple[str, str], database: str, servers: EmbeddedServers, tmp_path: Path
) -> None:  # F12
    source, file, policy = str(offline.supervisor.home), str(tmp_path / "citewell.backup"), tmp_path / "policy.md"
    policy.write_text(POLICY)
    assert command("ingest", str(policy), "--workspace", "backed-up", CITEWELL_HOME=source) == 0
    assert command("ask", QUESTION, "--workspace", "backed-up", CITEWELL_HOME=source) == 0
    url = offline.supervisor.url
    query_id = httpx.get(f"{url}/v1/queries").json()["queries"][0]["id"]
    proven = proof(url, query_id)
    before = books(offline.supervisor.database_url)
    assert command("backup", file, CITEWELL_HOME=source) == 0
    after = books(offline.supervisor.database_url)

    # Row by row, in a database without workers; tables that a worker wrote meanwhile cannot be compared.
    still = {name for name in before if before[name] == after[name]}
    assert still >= BOOKS
    beside = create_database(database, BESIDE)
    assert command("restore", file, CITEWELL_DATABASE_URL=beside, CITEWELL_REDIS_URL=servers.redis_url) == 0
    restored = books(beside)
    drop_database(database, BESIDE)
    assert restored.keys() == before.keys()
    assert {name: restored[name] for name in still} == {name: before[name] for name in still}

    with temporary_home() as home:
        target = str(home)
        assert command("restore", file, CITEWELL_HOME=target) == 0
        with up(home) as url:
            assert proof(url, query_id) == proven
            # A home with work is not replaced unasked; then it is, while it runs, and goes on with what waited.
            old, waited = waiting
            assert command("restore", old, CITEWELL_HOME=target) == 2
            assert proof(url, query_id) == proven
            assert command("restore", "--replace", old, CITEWELL_HOME=target) == 0
            until(lambda: is_answered(url, waited), seconds=120)
            assert httpx.get(f"{url}/v1/queries/{query_id}").status_code == 404


def is_answered(url: str, query_id: str) -> bool:
    try:
        return httpx.get(f"{url}/v1/queries/{query_id}").json().get("status") == "succeeded"
    except httpx.TransportError:
        return False  # the API restarts
