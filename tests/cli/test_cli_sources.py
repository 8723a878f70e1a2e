"""`citewell sources`, and the Python client's half of it."""

import json
from pathlib import Path
from uuid import UUID

import pytest

from citewell_client import CitewellClient
from config.settings import settings
from services.sources.running import run_source
from tests.cli.conftest import Citewell
from tests.leases import hold


@pytest.fixture
def shelf(api_url: str, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    assert database
    (tmp_path / "a.txt").write_text("one fish")
    (tmp_path / "b.bin").write_bytes(b"x")
    monkeypatch.setenv("CITEWELL_SOURCES__FOLDERS", json.dumps({"shelf": {"path": str(tmp_path)}}))
    settings.cache_clear()
    return api_url


def test_a_source_is_made_shown_run_and_deleted(citewell: Citewell, shelf: str) -> None:  # A4, N3
    made = citewell("sources", "create", "books", "folder", "shelf", "-w", "w", "--every", "3600", "--exclude", "x*")
    assert (made.code, made.err) == (0, "")
    assert "folder shelf · workspace w · every 3,600 s" in made.out
    with CitewellClient(shelf) as client:
        (source,) = client.sources.list("w")
        run_source(UUID(source["id"]), settings(), hold, lambda: None)
        assert [each["key"] for each in client.sources.items(source["id"], "new")] == ["a.txt"]
    listed = citewell("sources", "list")
    assert (source["id"] in listed.out, "books  folder  shelf" in listed.out) == (True, True)
    shown = citewell("sources", "show", source["id"][:6]).out
    assert "2 listed: 1 new, 1 skipped; 0 ready, 1 to be read" in shown
    assert "skipped b.bin: Files of this type are not read" in shown
    assert json.loads(citewell("sources", "run", source["id"], "--json").out)["options"]["exclude"] == ["x*"]
    assert citewell("sources", "pause", source["id"]).err == "books is paused\n"
    assert "paused" in citewell("sources", "list").out
    assert citewell("sources", "resume", source["id"]).code == 0
    assert "when asked" in citewell("sources", "change", source["id"], "--when-asked").out
    assert citewell("sources", "delete", source["id"], "--yes").code == 0
    assert citewell("sources", "list").out == "no sources; `citewell sources create` adds one\n"


def test_what_cannot_be_a_source_is_told(citewell: Citewell, shelf: str) -> None:  # A4, A8
    assert shelf
    refused = citewell("sources", "create", "books", "folder", "/etc")
    assert (refused.code, "CITEWELL_SOURCES__FOLDERS" in refused.err) == (2, True)
    assert citewell("sources", "create", "books", "gopher", "x").code == 2
    assert "no source whose id begins with" in citewell("sources", "show", "abcdef").err
