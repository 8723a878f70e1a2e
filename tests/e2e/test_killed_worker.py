"""`kill -9` of a worker process in the middle of a query: it finishes, once."""

import os
import signal
import time
from collections.abc import Generator
from typing import Any

import pytest

from tests.e2e.stack import Stack, running_stack
from tests.e2e.test_provider_faults import POLICY, QUESTION
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import KEY, GroqSimulator

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("killing")]


@pytest.fixture(scope="module")
def simulator() -> Generator[GroqSimulator]:
    with GroqSimulator() as running:
        yield running


@pytest.fixture(scope="module")
def stack(simulator: GroqSimulator) -> Generator[Stack]:
    environment = {
        "GROQ_API_KEY": KEY,
        "GROQ_BASE_URL": simulator.base_url,
        "CITEWELL_RECOVERY__LEASE_S": "2",
        "CITEWELL_RECOVERY__HEARTBEAT_S": "0.5",
        "CITEWELL_RECOVERY__CHECK_S": "0.5",
    }
    with running_stack(**environment) as running:
        running.add_text("policy.md", POLICY, workspace="w")
        yield running


@pytest.mark.parametrize("stage", ["reranking", "generating", "verifying"])
def test_a_query_survives_the_death_of_its_worker(stack: Stack, simulator: GroqSimulator, stage: str) -> None:  # A5
    simulator.reset()
    call = {"reranking": "rerank_chunk", "generating": "generate_answer", "verifying": "check_statement"}[stage]
    # The call that the worker waits for never comes back, so the kill certainly hits in the middle.
    simulator.fail(Fault(kind=FaultKind.HANG, match=f"\n{call}\n", times=1))
    query_id = stack.submit(QUESTION, workspace="w")
    query = killed_and_revived(stack, simulator, query_id)
    history = stack.history(query_id)
    assert query["status"] == "succeeded"
    assert "30 days" in query["answer"]
    assert [event["type"] for event in history["events"]].count("final") == 1
    assert len(history["verifications"]) == 1
    assert_bought_once(history)


def test_a_research_survives_the_death_of_its_worker(stack: Stack, simulator: GroqSimulator) -> None:  # A5, S3.6
    simulator.reset()
    # The second decision never comes back: the first one and its search are done.
    simulator.fail(Fault(kind=FaultKind.HANG, match="<searches>\n- ", times=1))
    query_id = stack.submit(QUESTION, workspace="w", run="agentic")
    query = killed_and_revived(stack, simulator, query_id)
    assert query["status"] == "succeeded"
    assert "30 days" in query["answer"]
    history = stack.history(query_id)
    assert_bought_once(history)
    assert [call["prompt"] for call in history["model_calls"]].count("decide_search") == 2
    assert [event["type"] for event in history["events"]].count("search") == 1


def killed_and_revived(stack: Stack, simulator: GroqSimulator, query_id: str) -> dict[str, Any]:
    """Kill the process that waits for the model, and see the query through to its end."""
    for _ in range(400):
        if simulator.faults.faults[0].times == 0:
            break
        time.sleep(0.02)
    pid = stack.supervisor.pids["models"]
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while (query := stack.http.get(f"/v1/queries/{query_id}").json())["status"] in {"queued", "running"}:
        assert time.monotonic() < deadline, query
        stack.supervisor.revive()
        time.sleep(0.05)
    return query


def assert_bought_once(history: dict[str, Any]) -> None:
    """Work that was done before the kill was not bought again."""
    recorded = [call["prompt"] for call in history["model_calls"]]
    assert recorded.count("generate_answer") == 1
    assert recorded.count("rerank_chunk") == 1
