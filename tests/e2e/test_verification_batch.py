"""A batch on a whole stack whose workers are killed meanwhile: every item ends, once, in the order of the file (N2)."""

import json
import os
import signal
import time
from typing import Any

import pytest

from tests.e2e.stack import Stack, running_stack

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("killing")]

COUNT = 30


def item(number: int) -> dict[str, Any]:
    """Every third answer has a wrong figure."""
    said = 3 * number if number % 3 == 0 else number
    source = f"Shop {number}. Returns are accepted within {number} days of the purchase date."
    answer = f"Returns are accepted within {said} days of the purchase date [1]."
    return {"custom_id": f"shop-{number}", "answer": answer, "sources": [{"text": source}]}


def test_a_batch_survives_the_death_of_its_workers() -> None:  # N2, A5
    recovery = {"LEASE_S": "2", "HEARTBEAT_S": "0.5", "CHECK_S": "0.5", "STALLED_S": "3"}
    with running_stack(**{f"CITEWELL_RECOVERY__{name}": value for name, value in recovery.items()}) as stack:
        body = "\n".join(json.dumps(item(number)) for number in range(10, 10 + COUNT))
        headers = {"Content-Type": "application/x-ndjson"}
        accepted = stack.http.post("/v1/verifications/batches", content=body, headers=headers)
        assert accepted.status_code == 202, accepted.text
        links = accepted.json()["links"]
        batch = followed(stack, links["self"])
        assert (batch["status"], batch["succeeded"], batch["total"]) == ("finished", COUNT, COUNT)
        response = stack.http.get(links["results"])
        assert response.headers["citewell-unfinished"] == "0"
        results = [json.loads(line) for line in response.text.splitlines()]
    assert [each["custom_id"] for each in results] == [f"shop-{number}" for number in range(10, 10 + COUNT)]
    for number, each in enumerate(results, start=10):
        assert each["sentences"][0]["status"] == ("contradicted" if number % 3 == 0 else "supported")
        assert f"within {number} days" in each["repaired_answer"]


def followed(stack: Stack, path: str) -> dict[str, Any]:
    """Wait for the end; kill the process that serves the models when a third is done."""
    killed, deadline = False, time.monotonic() + 120
    while not (batch := stack.http.get(path).raise_for_status().json())["finished_at"]:
        assert time.monotonic() < deadline, batch
        assert batch["running"] <= 8
        pid = stack.supervisor.pids["models"]
        if not killed and batch["succeeded"] >= COUNT // 3 and pid is not None:
            os.kill(pid, signal.SIGKILL)
            killed = True
        stack.supervisor.revive()
        time.sleep(0.05)
    assert killed
    return batch
