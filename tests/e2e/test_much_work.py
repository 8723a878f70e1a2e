"""Much work whose processes are killed in the middle: it continues, all of it ends, and nothing happens twice.

A folder of 200 files and an archive of 60, ten of them broken, and a batch of 30 answers.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.archives import zipped
from tests.e2e.stack import Stack, running_stack
from tests.many_files import BROKEN, many_files

pytestmark = [pytest.mark.drill, pytest.mark.timeout(400), pytest.mark.xdist_group("killing")]

GOOD = len(many_files()) - len(BROKEN)
PACKED = many_files(60)
ANSWERS = 30


@pytest.fixture(scope="module")
def stack() -> Generator[Stack]:
    recovery = {"LEASE_S": "2", "HEARTBEAT_S": "0.5", "CHECK_S": "0.5", "STALLED_S": "3"}
    with running_stack(**{f"CITEWELL_RECOVERY__{name}": value for name, value in recovery.items()}) as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("files")
    for name, content in many_files().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (root / "picture.gif").write_bytes(b"GIF89a")
    return root


def until(holds: Callable[[], bool], stack: Stack) -> None:
    deadline = time.monotonic() + 300
    while not holds():
        assert time.monotonic() < deadline
        stack.supervisor.revive()
        time.sleep(0.1)


def documents(stack: Stack, workspace: str) -> list[dict[str, Any]]:
    params = {"workspace": workspace, "versions": "all", "limit": 1000}
    return stack.http.get("/v1/documents", params=params).raise_for_status().json()["documents"]


def check_all(found: list[dict[str, Any]], files: Iterable[str]) -> None:
    """Each file is one document; broken ones have a reason."""
    assert sorted(document["filename"] for document in found) == sorted(files)
    failed = {document["filename"]: document["error"] for document in found if document["status"] != "ready"}
    assert failed.keys() == BROKEN.keys()
    assert all(error["code"].startswith("document_") and error["message"] for error in failed.values())


def test_a_folder_goes_on_where_the_command_was_killed(stack: Stack, folder: Path) -> None:  # A5, A8, N3
    command = [sys.executable, "-m", "citewell.cli.main", "ingest", str(folder), "-w", "folder"]
    command += ["--json", "--url", stack.supervisor.url]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
        until(lambda: len(documents(stack, "folder")) >= 40, stack)
        first.kill()
    assert len(documents(stack, "folder")) < GOOD
    second = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert second.returncode == 2
    told = [json.loads(line) for line in second.stdout.splitlines()]
    assert len(told) == GOOD + len(BROKEN)
    assert {document["id"] for document in told} == {document["id"] for document in documents(stack, "folder")}
    check_all(documents(stack, "folder"), many_files())
    *failures, types, summary = second.stderr.splitlines()
    assert len(failures) == len(BROKEN)
    assert all(any(name in line for line in failures) for name in BROKEN)
    assert "1 .gif" in types
    assert summary == f"{GOOD} ready, {len(BROKEN)} failed, 1 file skipped"


def test_an_archive_goes_on_where_its_worker_was_killed(stack: Stack) -> None:  # A5, A8, N3
    files = {"file": ("many.zip", zipped(PACKED))}
    here = stack.http.post("/v1/imports", files=files, data={"workspace": "zip"}).json()["links"]["self"]
    seen: list[int] = []

    def look() -> dict[str, Any]:
        found = stack.http.get(here).raise_for_status().json()
        states = found["documents"]
        seen.append(states["ready"] + states["failed"])
        return found

    # Early: what is left must not end before the kill, however late that comes.
    until(lambda: look()["accepted"] >= 8, stack)
    _kill_ingestion(stack)
    assert look()["status"] == "running"
    until(lambda: look()["status"] != "running", stack)
    ended = look()
    assert (ended["status"], ended["total"], ended["skipped"]) == ("finished", len(PACKED), [])
    assert ended["documents"] == {
        "queued": 0,
        "processing": 0,
        "ready": len(PACKED) - len(BROKEN),
        "failed": len(BROKEN),
        "superseded": 0,
    }
    assert {failure["filename"] for failure in ended["failures"]} == BROKEN.keys()
    assert (sorted(seen), seen[-1]) == (seen, len(PACKED))
    check_all(documents(stack, "zip"), PACKED)


def _kill_ingestion(stack: Stack) -> None:
    pid = stack.supervisor.pids["ingestion"]
    assert pid is not None
    # Its children too: one of them does the work.
    assert os.getpgid(pid) == pid
    os.killpg(pid, signal.SIGKILL)


def item(number: int) -> dict[str, Any]:
    """A request; every third answer has a wrong figure."""
    said = 3 * number if number % 3 == 0 else number
    source = f"Shop {number}. Returns are accepted within {number} days of the purchase date."
    answer = f"Returns are accepted within {said} days of the purchase date [1]."
    return {"custom_id": f"shop-{number}", "answer": answer, "sources": [{"text": source}]}


def test_a_batch_survives_the_death_of_its_workers(stack: Stack) -> None:  # N2, A5
    body = "\n".join(json.dumps(item(number)) for number in range(10, 10 + ANSWERS))
    headers = {"Content-Type": "application/x-ndjson"}
    accepted = stack.http.post("/v1/verifications/batches", content=body, headers=headers)
    assert accepted.status_code == 202, accepted.text
    links = accepted.json()["links"]
    batch = followed(stack, links["self"])
    assert (batch["status"], batch["succeeded"], batch["total"]) == ("finished", ANSWERS, ANSWERS)
    response = stack.http.get(links["results"])
    assert response.headers["citewell-unfinished"] == "0"
    results = [json.loads(line) for line in response.text.splitlines()]
    assert [each["custom_id"] for each in results] == [f"shop-{number}" for number in range(10, 10 + ANSWERS)]
    for number, each in enumerate(results, start=10):
        assert each["sentences"][0]["status"] == ("contradicted" if number % 3 == 0 else "supported")
        assert f"within {number} days" in each["repaired_answer"]


def followed(stack: Stack, path: str) -> dict[str, Any]:
    """Wait for the end; kill a process that answers questions when a third is done."""
    killed, deadline = False, time.monotonic() + 120
    while not (batch := stack.http.get(path).raise_for_status().json())["finished_at"]:
        assert time.monotonic() < deadline, batch
        assert batch["running"] <= 8
        pid = stack.supervisor.pids["queries-1"]
        if not killed and batch["succeeded"] >= ANSWERS // 3 and pid is not None:
            os.kill(pid, signal.SIGKILL)
            killed = True
        stack.supervisor.revive()
        time.sleep(0.05)
    assert killed
    return batch
