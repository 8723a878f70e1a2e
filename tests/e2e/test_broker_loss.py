"""The broker dies: accepting goes on, and what was accepted is answered when it is back."""

import os
import signal
import time
from collections.abc import Generator

import pytest

from tests.e2e.stack import Stack, running_stack
from tests.e2e.test_provider_faults import POLICY, QUESTION

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("killing")]


@pytest.fixture(scope="module")
def stack() -> Generator[Stack]:
    with running_stack(CITEWELL_RECOVERY__CHECK_S="0.5") as running:
        running.add_text("policy.md", POLICY, workspace="w")
        yield running


def test_a_question_asked_while_the_broker_is_away_is_answered_later(stack: Stack) -> None:  # A5
    pid = stack.supervisor.pids["valkey"]
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    asked = time.monotonic()
    query_id = stack.submit(QUESTION, workspace="w")
    assert time.monotonic() - asked < 5
    deadline = time.monotonic() + 90
    while (query := stack.http.get(f"/v1/queries/{query_id}").json())["status"] in {"queued", "running"}:
        assert time.monotonic() < deadline, query
        stack.supervisor.revive()
        time.sleep(0.1)
    assert query["status"] == "succeeded"
    assert "30 days" in query["answer"]
