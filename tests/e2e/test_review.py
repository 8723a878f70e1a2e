"""An answer that a person has to release, on a whole stack: held, told, released, and a label (issue 44, show 4)."""

import json
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from openai import OpenAI
from standardwebhooks import Webhook

from tests.e2e.stack import Stack
from tests.simulators.sink import Sink
from tests.waiting import until

pytestmark = pytest.mark.slow

Json = dict[str, Any]
WORKSPACE = "reviewed"
QUESTION = "Within how many days may customers return a product?"
WORDS = "within 30 days"


def reader(stack: Stack) -> dict[str, str]:
    """The headers of somebody who reviews nothing."""
    made = stack.http.post("/v1/keys", json={"name": "reader", "scopes": ["read"]}).raise_for_status()
    return {"Authorization": f"Bearer {made.json()['key']}"}


@pytest.fixture(scope="module")
def stack(offline: Stack) -> Stack:
    """With a workspace whose answers are all held back."""
    settings = {"review": {"confidence_below": 1.0, "hold": True}}
    offline.http.post("/v1/workspaces", json={"name": WORKSPACE, "settings": settings}).raise_for_status()
    offline.add_text("returns.md", "Customers may return a product within 30 days of purchase.", workspace=WORKSPACE)
    return offline


@pytest.fixture
def hook(stack: Stack) -> Generator[tuple[Sink, str]]:
    """A receiver of events on reviews and questions, and its secret."""
    with Sink() as sink:
        wanted = {"url": f"{sink.url}/hook", "events": ["review.*", "query.*"]}
        made = stack.http.post("/v1/webhooks", json=wanted).raise_for_status().json()
        yield sink, made["secret"]
        stack.http.delete(f"/v1/webhooks/{made['id']}").raise_for_status()


def held(stack: Stack) -> tuple[Json, Json]:
    """A question whose answer is held back, and its entry in the queue."""
    query = stack.http.post("/v1/queries?wait=60", json={"question": QUESTION, "workspace": WORKSPACE}).json()
    assert (query["status"], query["answer"], query["review"]["state"]) == ("held", None, "held")
    [entry] = stack.http.get("/v1/feedback", params={"query_id": query["id"], "status": "open"}).json()["feedback"]
    return query, entry


def decide(stack: Stack, entry: Json, **decision: Any) -> Json:
    return stack.http.patch(f"/v1/feedback/{entry['id']}", json=decision).raise_for_status().json()


def test_an_answer_is_held_back_released_told_and_becomes_a_label(
    stack: Stack, hook: tuple[Sink, str], tmp_path: Path
) -> None:
    query, entry = held(stack)
    path = f"/v1/queries/{query['id']}"
    # Nobody sees the text: neither pollers nor streams, exports, links, or the history.
    events = stack.http.get(f"{path}/events")
    assert "event: held" in events.text
    for response in (stack.http.get(path), events, stack.http.get("/v1/queries?status=held")):
        assert response.status_code == 200
        assert WORDS not in response.text.replace(QUESTION, "")
    refused = [
        stack.http.get(f"{path}/export"),
        stack.http.post(f"{path}/share", json={"hours": 1}),
        stack.http.get(f"{path}/verifications", headers=reader(stack)),
    ]
    assert [(response.status_code, response.json()["code"]) for response in refused] == [(423, "answer_held")] * 3
    # A reviewer does, with marks and sources.
    shown = stack.http.get(f"/v1/feedback/{entry['id']}/answer").raise_for_status().json()
    assert WORDS in shown["answer"]
    assert (shown["verification"]["sentences"][0]["status"], len(shown["sources"])) == ("supported", 1)
    assert (entry["reasons"], entry["review"], entry["author"]) == (["confidence"], "held", None)

    sink, secret = hook
    until(lambda: len(sink.received("/hook")) == 1)
    [asked] = sink.received("/hook")
    message = Webhook(secret).verify(asked.body, dict(asked.headers))
    assert (message["type"], message["data"]["id"], message["data"]["held"]) == ("review.requested", query["id"], True)
    assert WORDS.encode() not in asked.body

    decided = decide(stack, entry, decision="release", reviewer="r.lee", reason="As the policy says.")
    assert (decided["status"], decided["verdict"], decided["review"]) == ("reviewed", "supported", "released")
    released = stack.http.get(path).json()
    assert (released["status"], released["answer"]) == ("succeeded", shown["answer"])
    assert (released["review"]["state"], released["review"]["decided_by"]) == ("released", "r.lee")
    assert "event: final" in stack.http.get(f"{path}/events").text
    assert stack.http.get(f"{path}/export").status_code == 200
    assert stack.http.get(f"{path}/audit/check").json()["intact"] is True
    until(lambda: len(sink.received("/hook")) == 2)
    assert Webhook(secret).verify(sink.received("/hook")[1].body, dict(sink.received("/hook")[1].headers))["type"] == (
        "query.succeeded"
    )

    verdicts = tmp_path / "verdicts.jsonl"
    program = Path(sys.executable).with_name("citewell")
    subprocess.run(
        [program, "evaluate", "--from-feedback", "--workspace", WORKSPACE, "--no-store", "--verdicts", verdicts],
        check=True,
        capture_output=True,
    )
    labels = [json.loads(line) for line in verdicts.read_text(encoding="utf-8").splitlines()]
    # Other tests reject answers of this workspace.
    [label] = [label for label in labels if label["label"] == 1]
    assert WORDS in label["claim"]


def test_what_a_reviewer_writes_stands_in_place_of_what_was_held_back(stack: Stack) -> None:
    query, entry = held(stack)
    path = f"/v1/queries/{query['id']}"
    undecided = stack.http.patch(f"/v1/feedback/{entry['id']}", json={"status": "reviewed"})
    assert (undecided.status_code, undecided.json()["code"]) == (409, "review_undecided")
    assert stack.http.delete(f"/v1/feedback/{entry['id']}").status_code == 409
    wrong = stack.http.patch(f"/v1/feedback/{entry['id']}", json={"decision": "correct"})
    assert (wrong.status_code, "corrected_answer" in wrong.json()["detail"]) == (422, True)
    decide(stack, entry, decision="correct", corrected_answer="Within a month.")
    shown = stack.http.get(path).json()
    assert (shown["status"], shown["answer"], shown["verification"]) == ("succeeded", "Within a month.", None)
    assert (shown["review"]["state"], shown["signal"]["word"]) == ("corrected", "Not checked")
    for response in (stack.http.get(f"{path}/export"), stack.http.get(f"{path}/events")):
        assert (response.status_code, WORDS in response.text) == (200, False)
    assert stack.http.get(f"{path}/verifications", headers=reader(stack)).status_code == 423
    assert WORDS in stack.http.get(f"{path}/verifications").text
    assert stack.http.get(f"{path}/audit/check").json()["intact"] is True
    again = stack.http.patch(f"/v1/feedback/{entry['id']}", json={"decision": "release"})
    assert (again.status_code, again.json()["code"]) == (409, "not_held")


def test_a_rejected_answer_is_shown_to_nobody(stack: Stack) -> None:
    query, entry = held(stack)
    decide(stack, entry, decision="reject", reason="Ask the shop.")
    shown = stack.http.get(f"/v1/queries/{query['id']}").json()
    assert (shown["status"], shown["answer"], shown["error"]["code"]) == ("failed", None, "answer_rejected")
    assert (shown["review"]["state"], shown["review"]["note"]) == ("rejected", "Ask the shop.")


def test_clients_of_openai_read_that_somebody_has_to_look_first(stack: Stack) -> None:
    with OpenAI(base_url=f"{stack.supervisor.url}/v1", api_key="none", max_retries=0) as client:
        asked: Any = {"model": WORKSPACE, "messages": [{"role": "user", "content": QUESTION}]}
        create: Any = client.chat.completions.create
        whole, chunks = create(**asked), list(create(**asked, stream=True))
        answered: Any = client.responses.create(model=WORKSPACE, input=QUESTION)
        events: list[Any] = list(client.responses.create(model=WORKSPACE, input=QUESTION, stream=True))
    assert (whole.choices[0].finish_reason, chunks[-1].choices[0].finish_reason) == ("content_filter",) * 2
    streamed = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert whole.choices[0].message.content == streamed
    assert streamed.startswith("A person has to release this answer")
    assert (answered.status, answered.output_text) == ("incomplete", streamed)
    assert answered.incomplete_details.reason == "content_filter"
    assert (events[-1].type, events[-1].response.output_text) == ("response.incomplete", streamed)
