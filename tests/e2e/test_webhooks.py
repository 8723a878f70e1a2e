"""Webhooks on a whole stack: receivers are notified within a second of a question's end (A6)."""

from collections.abc import Generator
from datetime import datetime
from typing import Any

import pytest
from standardwebhooks import Webhook

from tests.e2e.stack import Stack
from tests.simulators.sink import Answer, Manner, Received, Sink
from tests.waiting import until

pytestmark = pytest.mark.slow

Json = dict[str, Any]


@pytest.fixture(scope="module")
def sink() -> Generator[Sink]:
    with Sink() as running:
        yield running


@pytest.fixture(scope="module")
def stack(offline: Stack) -> Generator[Stack]:
    """The stack without a key; its webhooks are deleted when these tests are over."""
    yield offline
    for hook in offline.http.get("/v1/webhooks").raise_for_status().json()["webhooks"]:
        offline.http.delete(f"/v1/webhooks/{hook['id']}").raise_for_status()


def until_received(sink: Sink, path: str, count: int) -> list[Received]:
    until(lambda: len(sink.received(path)) >= count)
    return sink.received(path)


def post(stack: Stack, path: str, **body: Any) -> Json:
    return stack.http.post(path, json=body).raise_for_status().json()


def states_of(stack: Stack, query_id: str, sink: Sink) -> set[str]:
    """The states of the query's deliveries to this receiver; other tests may have registered unreachable ones."""
    told = stack.http.get(f"/v1/queries/{query_id}/deliveries").raise_for_status().json()
    return {delivery["status"] for delivery in told["deliveries"] if delivery["url"].startswith(sink.url)}


# A6
def test_a_callback_and_an_endpoint_are_told_of_a_question(stack: Stack, sink: Sink) -> None:
    hook = post(stack, "/v1/webhooks", url=sink.answer("/hook", Answer(500), Answer(204)), events=["query.*"])
    deaf = post(stack, "/v1/webhooks", url=sink.url + "/deaf", events=["verification.*"])
    callback_secret = stack.http.get("/v1/webhooks/callback-secret").json()["secret"]
    stack.add_text("refunds.md", "Customers may return a product within 30 days.", workspace="hooks")
    query = stack.ask(
        "Within how many days may customers return a product?", workspace="hooks", callback_url=sink.url + "/once?job=7"
    )

    [called] = until_received(sink, "/once", 1)
    told = Webhook(callback_secret).verify(called.body, dict(called.headers))
    assert (told["type"], told["data"]["id"], told["data"]["answer"]) == (
        "query.succeeded",
        query["id"],
        query["answer"],
    )
    assert told["data"]["scores"]["accuracy_rate"] == query["verification"]["accuracy_rate"]
    assert stack.http.get(told["data"]["links"]["self"]).json()["id"] == query["id"]
    # The first attempt follows the end closely, without waiting for a slow scheduler.
    assert called.at - datetime.fromisoformat(query["finished_at"]).timestamp() < 30

    refused, accepted = until_received(sink, "/hook", 2)
    assert Webhook(hook["secret"]).verify(accepted.body, dict(accepted.headers)) == told
    assert refused.headers["webhook-id"] == accepted.headers["webhook-id"] == called.headers["webhook-id"]
    assert sink.received("/deaf") == []
    assert stack.http.get(f"/v1/webhooks/{deaf['id']}/deliveries").json()["deliveries"] == []

    until(lambda: states_of(stack, query["id"], sink) == {"delivered"}, seconds=60)


# A6
def test_a_test_message_arrives(stack: Stack, sink: Sink) -> None:
    hook = post(stack, "/v1/webhooks", url=sink.url + "/tested", events=["document.failed"])
    sent = post(stack, f"/v1/webhooks/{hook['id']}/test")
    [received] = until_received(sink, "/tested", 1)
    assert Webhook(hook["secret"]).verify(received.body, dict(received.headers))["type"] == "webhook.test"
    assert received.headers["webhook-id"] == sent["message_id"]


# A6
def test_a_receiver_that_hangs_delays_no_other(stack: Stack, sink: Sink) -> None:
    """200 messages wait for it, beside twenty for a working one."""
    hanging = post(
        stack, "/v1/webhooks", url=sink.answer("/hangs", Answer(manner=Manner.HANG)), events=["document.failed"]
    )
    well = post(stack, "/v1/webhooks", url=sink.url + "/well", events=["document.failed"])
    for number in range(200):
        post(stack, f"/v1/webhooks/{hanging['id']}/test")
        if number % 10 == 0:
            post(stack, f"/v1/webhooks/{well['id']}/test")
    until_received(sink, "/well", 20)
    until_received(sink, "/hangs", 2)
    # The attempts of this stack last until the receiver ends them.
    assert len(sink.received("/hangs")) == 2
