"""An answer with nothing from the sources is not written to its end (N1)."""

import json

import pytest
from httpx_sse import connect_sse

from tests.e2e.observed import Observed
from tests.simulators.groq.faults import Fault, FaultKind

pytestmark = pytest.mark.slow

SOURCE = "All returns must be made within 30 days of the purchase date."
ANSWER = " ".join(
    f"{said} [†1]."
    for said in (
        "All returns must be made within 80 days of the purchase date",
        "All returns must be made within 90 days of the purchase date",
        "All returns must be made within 70 days of the purchase date",
        "All returns must be made within 60 days of the purchase date",
        "All returns must be made within 50 days of the purchase date",
        "All returns must be made within 40 days of the purchase date",
    )
)


def test_writing_stops_when_nothing_of_it_is_in_the_sources(observed: Observed) -> None:  # N1, A4
    """The model stops in the middle of its answer and never continues: only an early stop ends the question."""
    stack, simulator = observed.stack, observed.provider
    stack.add_text("returns.md", SOURCE, workspace="stopped")
    simulator.fail(Fault(kind=FaultKind.SAYING, match="\ngenerate_answer\n", quote=ANSWER))
    as_written = {"max_crag_attempts": 0, "repair": "citations"}
    query_id = stack.submit("Within how many days must returns be made?", workspace="stopped", verification=as_written)
    with connect_sse(stack.http, "GET", f"/v1/queries/{query_id}/events") as source:
        told = [(event.event, json.loads(event.data)) for event in source.iter_sse() if event.data]
    query, history = stack.wait(query_id), stack.history(query_id)
    simulator.go_on()
    simulator.reset()

    [stopped] = [data for type_, data in told if type_ == "draft.stopped"]
    failed = [data["sentence"] for type_, data in told if type_ == "sentence.failed"]
    assert failed[:2] == [0, 1]
    assert query["original_answer"] == ANSWER[: len(query["original_answer"])]
    assert query["original_answer"].endswith("[†1].")
    assert len(query["original_answer"]) < len(ANSWER)
    assert stopped["reason"] in query["verification"]["issues"]
    # It was asked for, and that is in the books.
    [call] = [call for call in history["model_calls"] if call["prompt"] == "generate_answer"]
    assert "stopped before its end" in call["error"]
    assert call["prompt_tokens"] > 0
