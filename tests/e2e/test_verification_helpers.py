"""Processes that verify, beside one that does all steps: they take checks when it has no free model calls (A1)."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from sqlalchemy import create_engine, text

from tests.e2e.stack import Stack, running_stack
from tests.simulators.groq.latency import LatencyModel
from tests.simulators.groq.server import KEY, GroqSimulator
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("helpers")]

ROOT = Path(__file__).resolve().parents[2]
TEXT = "Returns must be made within 30 days of the purchase date. Refunds are paid within 10 business days."
QUERIES = ["retrieval", "reranking", "citations", "generation", "verification", "graph", "maintenance"]
POOLS = {
    "queries": {"queues": QUERIES, "concurrency": 32, "processes": 1},
    "ingestion": {"queues": ["ingestion"], "concurrency": 1},
    "webhooks": {"queues": ["webhooks"], "concurrency": 2},
}
MANY = 8


@pytest.fixture(scope="module")
def stack() -> Generator[Stack]:
    with GroqSimulator(time_scale=1.0, latency=LatencyModel(queue_s=0.5, spread=0.0, tail=0.0)) as provider:
        environment = {
            "GROQ_API_KEY": KEY,
            "GROQ_BASE_URL": provider.base_url,
            "CITEWELL_GRAPH__EXTRACTOR": "local",
            "CITEWELL_MODELS__KEEP_REPLIES_S": "0",
            "CITEWELL_MODELS__CONCURRENCY": "4",
            "CITEWELL_ADMISSION__IN_FLIGHT_PER_PROCESS": "16",
            "CITEWELL_RECOVERY__LEASE_S": "3",
            "CITEWELL_RECOVERY__HEARTBEAT_S": "0.5",
            "CITEWELL_POOLS": json.dumps(POOLS),
        }
        with running_stack(**environment) as stack:
            stack.add_text("policy.md", TEXT, workspace="helped")
            yield stack


@pytest.fixture
def start_helper(stack: Stack, tmp_path: Path) -> Generator[Callable[[], "subprocess.Popen[bytes]"]]:
    """Starts a worker for the queue `verification` as docs/internals/scaling.md says."""
    running: list[subprocess.Popen[bytes]] = []

    def start() -> "subprocess.Popen[bytes]":
        command = "-m celery -A workers.celery_app worker -Q verification --without-mingle --without-gossip"
        environment = {
            **os.environ,
            "CELERY_CUSTOM_WORKER_POOL": "workers.pool:LoopPool",
            "CITEWELL_DATABASE_URL": stack.supervisor.database_url,
            "CITEWELL_REDIS_URL": stack.supervisor.redis_url,
            "PYTHONPATH": str(ROOT),
        }
        log = tmp_path / f"helper{len(running)}.log"
        with log.open("wb") as output:
            arguments = [*command.split(), "--pool", "custom", "--concurrency", "16", "-n", f"h{len(running)}@%h"]
            process = subprocess.Popen(
                [sys.executable, *arguments], env=environment, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT
            )
        running.append(process)
        deadline = time.monotonic() + 60
        while b"ready." not in log.read_bytes():
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        return process

    yield start
    for process in running:
        process.terminate()
    for process in running:
        process.wait(30)


def workers_of_checks(stack: Stack, asked: list[str]) -> set[int]:
    """The processes that checked something of these queries."""
    engine = create_engine(stack.supervisor.database_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("SET citewell.system = 'on'"))
        found = connection.scalars(
            text(
                "SELECT DISTINCT split_part(worker, ':', 3)::int FROM step_outcomes "
                "WHERE step LIKE 'check%' AND worker <> '' AND query_id = ANY(CAST(:asked AS uuid[]))"
            ),
            {"asked": asked},
        )
        pids = set(found)
    engine.dispose()
    return pids


def ask(stack: Stack, many: int) -> list[str]:
    return [stack.submit("Within how many days must returns be made?", workspace="helped") for _ in range(many)]


def assert_answered(stack: Stack, asked: list[str]) -> None:
    for query_id in asked:
        query = stack.wait(query_id)
        assert query["status"] == "succeeded", query["error"]
        assert {sentence["status"] for sentence in query["verification"]["sentences"]} == {"supported"}
        published = stack.history(query_id)["verifications"]
        assert sum(verification["kind"] == "published" for verification in published) == 1


def steps_in_place(app: Any) -> set[str]:
    """The names under which Celery's `inspect active` shows steps that run in place."""
    active: dict[str, list[dict[str, Any]]] = app.control.inspect(timeout=1).active() or {}
    return {task["name"] for tasks in active.values() for task in tasks if task["delivery_info"].get("in_place")}


def test_without_helpers_everything_is_done_in_place_and_seen_there(stack: Stack) -> None:  # A1, issue 43
    asked = ask(stack, MANY)
    with Celery(broker=stack.supervisor.redis_url) as app:
        in_place = set[str]()
        until(lambda: in_place.update(steps_in_place(app)) or in_place)
    assert in_place <= {"query.score_chunks", "query.generate", "query.extract_citations"} | {
        f"query.check_{what}" for what in ("alignment", "coverage", "answerability", "statements", "early")
    }
    assert_answered(stack, asked)
    assert len(workers_of_checks(stack, asked)) == 1


def test_helpers_take_checks_when_the_process_is_full(
    stack: Stack, start_helper: Callable[[], "subprocess.Popen[bytes]"]
) -> None:  # A1
    helpers = {start_helper().pid, start_helper().pid}
    time.sleep(4)  # one heartbeat
    asked = ask(stack, MANY)
    assert_answered(stack, asked)
    assert workers_of_checks(stack, asked) & helpers
    single = ask(stack, 1)
    assert_answered(stack, single)
    assert not workers_of_checks(stack, single) & helpers


@pytest.mark.drill
def test_a_helper_that_dies_is_only_a_delay(
    stack: Stack, start_helper: Callable[[], "subprocess.Popen[bytes]"]
) -> None:  # A1, A5
    helper = start_helper()
    time.sleep(4)  # one heartbeat
    asked = ask(stack, MANY)
    time.sleep(2)
    helper.send_signal(signal.SIGKILL)
    helper.wait()
    assert_answered(stack, [*asked, *ask(stack, MANY)])
