"""Agents and OpenAI's own client, unchanged, with a workspace as their model: their answers come with citations."""

import re
from collections.abc import Callable

import pytest

from tests.e2e.stack import Stack
from tests.integrations.programs import MARKS, run_javascript, run_python

pytestmark = MARKS

POLICY = (
    "Refund policy. All returns must be made within 30 days of the purchase date. A receipt is required for every "
    "return. Refunds are paid to the original payment method within 10 business days."
)
ANSWER = "All returns must be made within 30 days of the purchase date. [1]"
RECEIPT = "A receipt is required for every return. [1]"


def said(live: Stack, run: Callable[..., str], example: str) -> str:
    workspace = "agents"
    if not live.http.get("/v1/documents", params={"workspace": workspace}).json().get("documents"):
        live.add_text("policy.md", POLICY, workspace=workspace)
    return run(example, CITEWELL_URL=live.supervisor.url, CITEWELL_WORKSPACE=workspace)


@pytest.mark.parametrize(
    ("run", "example"),
    [
        (run_python, "openai_agents.py"),
        (run_python, "agent_framework_chat.py"),
        (run_javascript, "agents.mjs"),
    ],
)
def test_an_agent_answers_with_citations(live: Stack, run: Callable[..., str], example: str) -> None:
    printed = said(live, run, example)
    first, cited, *rest = printed.splitlines()
    assert first == ANSWER
    place = re.match(r"\[(\d+):(\d+)\] policy\.md", cited)
    assert place, printed
    assert first[int(place[1]) : int(place[2])] == "[1]"
    assert set(rest) == {RECEIPT}, printed


def test_openais_client_streams_follows_and_asks_in_the_background(live: Stack) -> None:
    first, cited, after, job = said(live, run_python, "openai_responses.py").splitlines()
    assert first == ANSWER
    assert cited == "[1] policy.md: All returns must be made within 30 days of the purchase date."
    assert after == RECEIPT
    assert job == f"in the background: completed, {ANSWER}"
