"""Celery's own command and Flower see workers, tasks and steps in place in the default form of `citewell up` (A9)."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from citewell.supervisor.apps import app_processes
from citewell.supervisor.servers.endpoints import free_port
from config.settings import Settings
from tests.e2e.stack import Stack
from tests.e2e.test_small_form import CITEWELL
from tests.waiting import until

pytestmark = pytest.mark.slow

POOLS = {spec.name for spec in app_processes(Settings(), 0)} - {"api"}


@contextmanager
def flower(stack: Stack) -> Generator[httpx.Client]:
    """Real Flower on the stack's broker."""
    pytest.importorskip("flower")
    port = free_port()
    environment = {
        **os.environ,
        "CITEWELL_REDIS_URL": stack.supervisor.redis_url,
        "CITEWELL_DATABASE_URL": stack.supervisor.database_url,
        "FLOWER_UNAUTHENTICATED_API": "true",
    }
    command = [sys.executable, "-m", "celery", "-A", "workers.celery_app", "flower"]
    running = subprocess.Popen(
        [*command, f"--port={port}", "--address=127.0.0.1"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as http:
            until(lambda: answers(http), seconds=60)
            yield http
    finally:
        running.terminate()
        running.wait(timeout=60)


def answers(http: httpx.Client) -> bool:
    try:
        return http.get("/healthcheck").status_code == 200
    except httpx.TransportError:
        return False


def celery(stack: Stack, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "CITEWELL_HOME": str(stack.supervisor.home)}
    command = [CITEWELL, "celery", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_celerys_own_command_reaches_the_workers_of_a_home(offline: Stack) -> None:  # A9, issue 43
    told = celery(offline, "inspect", "stats", "--json")
    assert told.returncode == 0, told.stderr
    stats = json.loads(told.stdout)
    assert {name.partition("@")[0] for name in stats} == POOLS
    assert "4 nodes online" in celery(offline, "status").stdout
    unknown = celery(offline, "inspect", "nothing")
    assert (unknown.returncode, "nothing" in unknown.stderr) == (2, True)


def test_celerys_command_says_what_it_can_join(tmp_path: Any) -> None:  # issue 43
    environment = {**os.environ, "CITEWELL_HOME": str(tmp_path)}
    done = subprocess.run([CITEWELL, "celery", "status"], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "No server runs on" in done.stderr) == (2, True)


def test_flower_sees_workers_tasks_and_steps_in_place(offline: Stack) -> None:  # A9, issue 43
    with flower(offline) as http:
        until(lambda: names(http.get("/api/workers", params={"refresh": "1"}).json()) >= POOLS, seconds=60)
        # As Flower itself does every few seconds.
        assert "task events" in celery(offline, "control", "enable_events").stdout
        offline.add_text("policy.md", "All returns must be made within 30 days.", workspace="flower")
        assert offline.ask("Within how many days must returns be made?", workspace="flower")["status"] == "succeeded"
        # One message does all steps of a question where a process serves all their queues.
        wanted = {"query.retrieve", "query.generate", "query.conclude", "document.ingest"}
        until(lambda: wanted <= done(http.get("/api/tasks").json()), seconds=60)
        queues = http.get("/api/workers").json()
        assert {queue["name"] for worker in queues.values() for queue in worker["active_queues"]} >= {"verification"}


def names(workers: dict[str, Any]) -> set[str]:
    return {name.partition("@")[0] for name, told in workers.items() if told.get("stats")}


def done(tasks: dict[str, Any]) -> set[str]:
    return {task["name"] for task in tasks.values() if task["state"] == "SUCCESS"}
