"""`citewell reembed` as users run it."""

import json
import subprocess
import sys
import time
from collections.abc import Generator

import pytest

from citewell_verify.embeddings.wheel import default_embedder
from config.settings import settings
from services.documents.documents import NewDocument, accept_document
from services.documents.ingestion import ingest
from tests.cli.conftest import Citewell
from tests.leases import hold
from tests.simulators.embeddings import KEY, EmbeddingServer


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Generator[EmbeddingServer]:
    with EmbeddingServer() as server:
        monkeypatch.setenv("CITEWELL_EMBEDDINGS__PROVIDER", "openai_compatible")
        monkeypatch.setenv("CITEWELL_EMBEDDINGS__MODEL", "tiny-16")
        monkeypatch.setenv("CITEWELL_EMBEDDINGS__BASE_URL", server.base_url)
        monkeypatch.setenv("CITEWELL_EMBEDDINGS__API_KEY", KEY)
        yield server
    settings.cache_clear()


def add(workspace: str, content: bytes = b"Returns are accepted within 30 days of the purchase.") -> None:
    new = NewDocument("policy.txt", content, workspace)
    ingest(accept_document(new, settings()).document_id, default_embedder(), settings().ingestion, hold)


def test_a_workspace_and_then_all_of_them(citewell: Citewell, endpoint: EmbeddingServer) -> None:  # S1.1
    settings.cache_clear()
    for workspace in ("a", "b"):
        add(workspace)
    one = citewell("reembed", "--workspace", "a")
    assert (one.code, one.out) == (0, "a: 1 chunks embedded, searched by tiny-16 from now on\n")
    rest = [json.loads(line) for line in citewell("reembed", "--all", "--json").out.splitlines()]
    assert rest == [
        {"name": "a", "model": "tiny-16", "embedded": 0, "switched": False},
        {"name": "b", "model": "tiny-16", "embedded": 1, "switched": True},
    ]
    # The second workspace has the same text: the tenant has its vector already.
    assert [text for text in endpoint.texts if text.startswith("Returns")] == endpoint.texts[1:]
    assert len(endpoint.texts) == 2


@pytest.mark.slow
def test_killed_and_started_again_it_goes_on(
    citewell: Citewell, endpoint: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:  # A5
    monkeypatch.setenv("CITEWELL_EMBEDDINGS__BATCH", "1")
    monkeypatch.setenv("CITEWELL_EMBEDDINGS__CONCURRENCY", "1")
    settings.cache_clear()
    rules = "\n\n".join(f"Rule {n}. " + f"Goods of kind {n} may be returned. " * 25 for n in range(8))
    add("a", rules.encode())
    endpoint.pause_s = 0.5  # so long that the process is killed in time on a busy machine, too
    process = subprocess.Popen([sys.executable, "-m", "citewell.cli.main", "reembed", "-w", "a"])
    try:
        deadline = time.monotonic() + 60
        while len(endpoint.texts) < 4 and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    endpoint.pause_s = 0
    # The one on its way when the process died is answered, and then asked for again.
    time.sleep(1)
    left = json.loads(citewell("reembed", "-w", "a", "--json").out)
    different = len(set(endpoint.texts))
    assert left["switched"]
    assert 0 < left["embedded"] <= different - 3
    # Asked twice: the dimension, by each process, and what was on its way.
    assert len(endpoint.texts) <= different + 2


def test_nothing_is_done_to_a_workspace_that_is_not_named(citewell: Citewell) -> None:
    assert "--workspace NAME" in citewell("reembed").complaint
    assert "--workspace NAME" in citewell("reembed", "--all", "-w", "a").complaint
    assert "has no workspace 'x'" in citewell("reembed", "-w", "x").complaint
    assert citewell("reembed").code == 2
