"""Every faulty command line: one line that says what is wrong, exit code 2, nothing stored."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from citewell_client import CitewellClient
from config.settings import settings
from tests.cli.conftest import Citewell
from verify_material.rows import for_all_rows


@for_all_rows(
    ("arguments", "says"),
    [
        (["ask"], "Missing argument 'QUESTION'; `citewell ask --help`"),
        (["ask", ""], "the question is empty"),
        (["ask", " \n "], "the question is empty"),
        (["ask", "?!"], "The question is empty"),
        (["ask", "x" * 5000], "The question has 5000 characters; the limit is 4000"),
        (["ask", "x" * 2_000_000], "larger than the limit of 1,000,000 bytes"),
        (["ask", "a\x01b"], "control characters"),
        (["ask", os.fsdecode(b"caf\xe9")], "control characters"),
        (["ask", "hi"], "There is no workspace 'default'; create it, or ingest a document into it."),
        (["ask", "hi", "-w", ""], "workspace: must be text on one line"),
        (["ask", "hi", "--mode", "extreme"], "low, balanced, high"),
        (["ask", "hi", "--model", "gpt-9"], "'gpt-9' is not configured; use one of"),
        (["ask", "hi", "--wait", "-1"], "--wait"),
        (["ask", "hi", "--url", "http://127.0.0.1:1"], "cannot reach a server at http://127.0.0.1:1"),
        (["ask", "hi", "--url", "nonsense"], "'nonsense' is no address of a server"),
        (["ask", "hi", "--url", "http://[::1"], "no address of a server"),
        (["history", "not-an-id"], "'not-an-id' is not the id of a question"),
        (["history", "abc12"], "nor the first 6 or more characters of one"),
        (["history", "abc123"], "there is no question whose id begins with 'abc123'"),
        (["history", "00000000-0000-0000-0000-000000000000"], "There is no query"),
        (["history", "--limit", "0"], "--limit"),
        (["ingest"], "Missing argument"),
        (["ingest", "a.txt", "--metadata", "{bad"], "--metadata is not JSON"),
        (["ingest", "a.txt", "--metadata", "[1]"], "--metadata is not a JSON object"),
        (["up", "--port", "70000"], "--port"),
        (["asc"], "No such command 'asc'"),
        (["--nonsense"], "No such option"),
    ],
)
def test_it_is_refused_in_one_line(citewell: Citewell, arguments: list[str], says: str) -> None:
    outcome = citewell(*arguments)
    assert outcome.code == 2
    assert says in outcome.complaint


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("missing.txt", None, "cannot be read (No such file or directory)"),
        ("empty.pdf", b"", "is empty"),
        ("folder", "folder", "holds no documents; supported are .txt"),
    ],
)
def test_a_file_that_cannot_be_sent_is_refused_in_one_line(
    citewell: Citewell, api_url: str, tmp_path: Path, name: str, content: bytes | str | None, says: str
) -> None:
    path = tmp_path / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content:
        path.mkdir()
    outcome = citewell("ingest", str(path))
    assert outcome.code == 2
    assert str(path) in outcome.complaint
    assert says in outcome.complaint
    with CitewellClient(api_url) as client:
        assert list(client.documents()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused_in_one_line(citewell: Citewell, tmp_path: Path) -> None:
    path = tmp_path / "closed.txt"
    path.write_text("secret")
    path.chmod(0)
    assert "Permission denied" in citewell("ingest", str(path)).complaint


def test_a_wrong_setting_is_named(citewell: Citewell, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as wrong:
        wrong.delenv("CITEWELL_URL")
        wrong.setenv("CITEWELL_RERANK__TOP_K", "many")
        settings.cache_clear()
        outcome = citewell("ask", "hi")
    settings.cache_clear()
    assert outcome.code == 2
    assert "rerank.top_k" in outcome.complaint


def test_a_home_that_cannot_be_used_is_named(citewell: Citewell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CITEWELL_URL")
    monkeypatch.setenv("CITEWELL_HOME", "/dev/null/citewell")
    settings.cache_clear()
    outcome = citewell("ask", "hi")
    assert outcome.code == 2
    assert "/dev/null" in outcome.err.splitlines()[-1]
    assert "CITEWELL_HOME" in outcome.err.splitlines()[-1]


def test_bytes_that_are_no_text_are_refused_by_the_real_program(api_url: str, database: str) -> None:
    assert database
    command = [sys.executable, "-m", "citewell.cli.main", "ask", "hi", "--workspace", b"caf\xe9", "--url", api_url]
    done = subprocess.run(command, capture_output=True, timeout=30, check=False)
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"citewell: ")
    assert b"Traceback" not in done.stderr
