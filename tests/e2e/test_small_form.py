"""Five containers: the API and one worker for every queue, as docker-compose.yml starts them without a profile."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import httpx
import psutil
import pytest

from tests.deploy.files import ROOT
from tests.e2e.distributed import Site, distributed
from tests.e2e.stack import Stack
from tests.simulators.sink import Sink
from tests.waiting import until
from workers.queues import Queue

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

DOCUMENT = "# Returns\n\nReturns must be made within 30 days of the purchase date.\n"
QUESTION = "Within how many days must returns be made?"
CITEWELL = str(Path(sys.executable).parent / "citewell")


@pytest.fixture(scope="module")
def small_form() -> Generator[tuple[Site, httpx.Client]]:
    recovery = {"CITEWELL_RECOVERY__LEASE_S": "2", "CITEWELL_RECOVERY__CHECK_S": "0.5"}
    with distributed("api", "worker", CITEWELL_WEBHOOKS__ALLOWED_NETWORKS='["127.0.0.0/8"]', **recovery) as (
        site,
        http,
    ):
        body = {"filename": "returns.md", "text": DOCUMENT}
        document = http.post("/v1/documents", json=body).raise_for_status().json()["links"]["self"]
        until(lambda: http.get(document).json()["status"] == "ready")
        yield site, http


def answered(http: httpx.Client, question: str = QUESTION) -> str:
    query = http.post("/v1/queries", json={"question": question}).raise_for_status().json()["links"]["self"]
    result = http.get(query, params={"wait": 60}).raise_for_status().json()
    assert result["status"] == "succeeded"
    return str(result["answer"])


def processes(site: Site) -> dict[int, list[str]]:
    told = json.loads(site.run("citewell.cli.main", "workers", "--json"))["processes"]
    return {process["pid"]: process["queues"] for process in told if process["alive"]}


def test_a_question_and_a_webhook_pass_through_one_worker(small_form: tuple[Site, httpx.Client]) -> None:  # A1, A10
    site, http = small_form
    assert {queue for queues in processes(site).values() for queue in queues} == {queue.value for queue in Queue}
    until(lambda: all(map(site.is_healthy, site.processes)), 90)
    with Sink() as sink:
        hook = {"url": sink.answer("/hook"), "events": ["query.succeeded"]}
        http.post("/v1/webhooks", json=hook).raise_for_status()
        assert "30 days" in answered(http)
        until(lambda: len(sink.received("/hook")) == 1)


def test_what_dies_within_the_worker_is_started_again(small_form: tuple[Site, httpx.Client]) -> None:  # A5
    site, http = small_form
    before = processes(site)
    victims = [pid for pid, queues in before.items() if "retrieval" in queues]
    for pid in victims:
        os.kill(pid, signal.SIGKILL)
    assert "30 days" in answered(http, "Within how many days of the purchase must returns be made?")
    until(lambda: not any(map(psutil.pid_exists, victims)))


def test_it_ends_in_order_and_a_new_one_goes_on(small_form: tuple[Site, httpx.Client]) -> None:  # A5, A10
    site, http = small_form
    leaving = psutil.Process(site.processes["worker"].pid)
    query = (
        http.post("/v1/queries", json={"question": "Must returns be made within 30 days?"}).raise_for_status().json()
    )
    site.servers.fleet.stop([site.processes.pop("worker")])
    assert not leaving.is_running()
    site.start("worker")
    assert http.get(query["links"]["self"], params={"wait": 60}).json()["status"] == "succeeded"


def test_a_worker_joins_a_running_home_for_some_queues_and_drains(offline: Stack) -> None:  # A1
    environment = {**os.environ, "CITEWELL_HOME": str(offline.supervisor.home)}
    command = [CITEWELL, "worker", "--queues", "verification", "--processes", "1"]
    with subprocess.Popen(command, env=environment, cwd=ROOT, stderr=subprocess.PIPE, text=True) as joined:
        try:
            assert joined.stderr is not None
            ready = next(line for line in joined.stderr if "Ctrl-C drains" in line)
            name = ready.split()[0]
            told = subprocess.run(
                [CITEWELL, "workers", "--json"], env=environment, capture_output=True, check=True
            ).stdout
            served = [process["queues"] for process in json.loads(told)["processes"] if process["alive"]]
            assert served.count(["verification"]) == 1, (name, served)
        finally:
            joined.terminate()
        assert "the workers have stopped" in joined.stderr.read()
        assert joined.wait(timeout=60) == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--queues", "verifications"], "There is no queue 'verifications'; the queues are retrieval, "),
        ([], "No server runs on "),
    ],
)
def test_what_cannot_be_joined_is_said(tmp_path: Path, arguments: list[str], told: str) -> None:
    environment = {**os.environ, "CITEWELL_HOME": str(tmp_path)}
    done = subprocess.run(
        [CITEWELL, "worker", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert told in done.stderr


def test_many_answers_pass_the_gate_as_one_batch(offline: Stack, tmp_path: Path) -> None:  # N2
    rows = [
        {
            "id": "good",
            "answer": "Returns must be made within 30 days of the purchase date [1].",
            "sources": [DOCUMENT],
        },
        {"id": "bad", "answer": "Returns must be made within 60 days of the purchase date [1].", "sources": [DOCUMENT]},
    ]
    (tmp_path / "cases.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    environment = {**os.environ, "CITEWELL_HOME": str(offline.supervisor.home)}
    command = [CITEWELL, "verify", "--cases", str(tmp_path / "cases.jsonl"), "--junit", str(tmp_path / "report.xml")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "1 of 2 answers pass" in done.stdout) == (1, True)
    assert 'failures="1"' in (tmp_path / "report.xml").read_text(encoding="utf-8")
