"""Jobs on a real stack: watched while running, cancelled during a model call."""

import json
import re
import time
from typing import Any

import httpx
import pytest
from httpx_sse import connect_sse

from tests.e2e.stack import Stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import GroqSimulator
from tests.waiting import until

pytestmark = pytest.mark.slow

POLICY = (
    "Refund policy. All returns must be made within 30 days of the purchase date. A receipt is required for every "
    "return. Refunds are paid to the original payment method within 10 business days."
)
QUESTION = "Within how many days must returns be made?"


@pytest.fixture(scope="module")
def workspace(groq_stack: Stack) -> str:
    groq_stack.add_text("policy.md", POLICY, workspace="jobs")
    return "jobs"


def watch(stack: Stack, query_id: str) -> list[tuple[int, str, dict[str, Any]]]:
    with (
        httpx.Client(base_url=str(stack.http.base_url), timeout=60) as http,
        connect_sse(http, "GET", f"/v1/queries/{query_id}/events") as source,
    ):
        return [(int(event.id), event.event, json.loads(event.data)) for event in source.iter_sse() if event.data]


def test_a_query_is_watched_from_its_draft_to_its_end(groq: Stack, workspace: str) -> None:  # A3
    query_id = groq.submit(QUESTION, workspace=workspace)
    events = watch(groq, query_id)
    assert [number for number, _, _ in events] == list(range(1, len(events) + 1))
    types = [type_ for _, type_, _ in events]
    stages = [data["stage"] for _, type_, data in events if type_ == "stage"]
    assert stages[:4] == ["retrieving", "reranking", "generating", "verifying"]
    draft = ""
    for _, type_, data in events:
        if type_ == "draft":
            draft = draft[: data["start"]] + data["text"]
    query = groq.wait(query_id)
    draft = draft.strip()
    assert draft == query["original_answer"]
    assert types.index("draft") < types.index("citation.checked") < types.index("sentence.checked")
    assert types[-1] == "final"
    assert events[-1][2]["query"] == query
    checked = [data for _, type_, data in events if type_ == "sentence.checked"]
    assert checked
    for each in checked:
        assert re.sub(r" ?\[†\d+\]", "", draft[each["start"] : each["end"]]) == each["text"]


def test_a_cancelled_query_stops_its_calls_and_leaves_nothing_behind(
    groq: Stack, provider: GroqSimulator, workspace: str
) -> None:  # A3
    provider.faults.faults[:] = [Fault(kind=FaultKind.HANG, times=None, match="generate_answer")]
    query_id = groq.submit(QUESTION, workspace=workspace)
    until(lambda: groq.http.get(f"/v1/queries/{query_id}").json()["stage"] == "generating")
    assert groq.http.delete(f"/v1/queries/{query_id}").json()["status"] == "cancelled"

    def calls() -> list[dict[str, Any]]:
        return [each for each in groq.history(query_id)["model_calls"] if each["step"] == "generate"]

    until(calls)
    assert [(call["error"], call["estimated"]) for call in calls()] == [("stopped before its end", True)]
    asked = len(provider.ledger.entries)
    time.sleep(1.0)
    assert len(provider.ledger.entries) == asked
    query = groq.http.get(f"/v1/queries/{query_id}").json()
    assert (query["status"], query["answer"], query["verification"]) == ("cancelled", None, None)
    assert [type_ for _, type_, _ in watch(groq, query_id)][-1] == "cancelled"
    assert {outcome["step"] for outcome in groq.history(query_id)["steps"]} <= {
        "retrieve",
        "score_chunks",
        "select",
        "extract_citations",
    }
