"""Deliveries through the broker: what starts them, and that a task carries only ids (A6)."""

import base64
import json
import uuid
from collections.abc import Generator
from datetime import UTC, datetime
from typing import Any

import pytest

from config.settings import settings
from db.models import DEFAULT_TENANT, DeliveryStatus, QueryStatus, WebhookDelivery
from db.queries.admission.processes import Leader, try_leader_lock
from db.session import transaction
from tests.simulators.sink import Answer, Sink
from tests.webhooks import LIMITS, all_deliveries, as_other_tenant, end_query, later, register, the_delivery
from workers.background.due_work import dispatch
from workers.processes.runtime import webhook_sender
from workers.tasks.webhooks import deliver_webhook

QUEUE = "webhooks"
URL = "https://example.com/hooks"


@pytest.fixture
def sink(monkeypatch: pytest.MonkeyPatch) -> Generator[Sink]:
    """A receiver that this process may send to."""
    monkeypatch.setenv("CITEWELL_WEBHOOKS__ALLOWED_NETWORKS", '["127.0.0.0/8"]')
    settings.cache_clear()
    webhook_sender.cache_clear()
    with Sink() as running:
        yield running
    webhook_sender.cache_clear()


def published(broker: Any) -> list[tuple[str, list[Any]]]:
    """(task, arguments) of the messages in the queue, oldest first; the queue is empty afterwards."""
    messages = [json.loads(raw) for raw in broker.lrange(QUEUE, 0, -1)][::-1]
    broker.delete(QUEUE)
    return [(each["headers"]["task"], json.loads(base64.b64decode(each["body"]))[0]) for each in messages]


# A6, A8
def test_a_task_carries_two_ids(broker: Any) -> None:
    register(URL)
    end_query()
    assert dispatch(LIMITS) == 1
    assert published(broker) == [("webhook.deliver", [str(the_delivery().id), DEFAULT_TENANT])]


# A6
def test_what_is_due_is_started_and_nothing_else(broker: Any) -> None:
    register(URL, "query.*")
    end_query()
    with transaction() as session:
        session.get_one(WebhookDelivery, the_delivery().id).next_attempt_at = datetime(2099, 1, 1, tzinfo=UTC)
    assert dispatch(LIMITS) == 0
    with as_other_tenant() as other:
        register(URL)
        end_query()
        [delivery] = all_deliveries()
    assert dispatch(LIMITS) == 1
    assert published(broker) == [("webhook.deliver", [str(delivery.id), other])]


# A6
def test_a_crowd_for_one_receiver_leaves_the_queue_to_others(broker: Any) -> None:
    crowded, _ = register(URL, "query.succeeded")
    other, _ = register(URL, "query.failed")
    for _ in range(20):
        end_query()
    end_query(status=QueryStatus.FAILED)
    assert dispatch(LIMITS) == LIMITS.in_flight + 1
    by_id = {str(delivery.id): delivery.endpoint_id for delivery in all_deliveries()}
    started = [by_id[args[0]] for _, args in published(broker)]
    assert sorted(started, key=str) == sorted([crowded] * LIMITS.in_flight + [other], key=str)


# A6
def test_the_task_delivers_and_starts_what_waited(broker: Any, sink: Sink) -> None:
    register(sink.answer("/hook", Answer(204)), limits=LIMITS)
    end_query()
    end_query()
    first, second = all_deliveries()
    deliver_webhook(str(first.id), DEFAULT_TENANT)
    assert published(broker) == [("webhook.deliver", [str(second.id), DEFAULT_TENANT])]
    deliver_webhook(str(second.id), DEFAULT_TENANT)
    assert published(broker) == []
    assert {delivery.status for delivery in all_deliveries()} == {DeliveryStatus.DELIVERED}
    assert len(sink.received("/hook")) == 2
    deliver_webhook(str(first.id), DEFAULT_TENANT)
    later(days=1)
    deliver_webhook(str(uuid.uuid4()), DEFAULT_TENANT)
    assert len(sink.received("/hook")) == 2


# A6, A8
def test_a_task_with_the_wrong_tenant_does_nothing(broker: Any, sink: Sink) -> None:
    assert broker
    register(sink.answer("/hook", Answer(204)))
    end_query()
    delivery_id = str(the_delivery().id)
    with as_other_tenant() as other:
        deliver_webhook(delivery_id, other)
    assert sink.requests == []


# A6
def test_a_broker_that_is_away_is_asked_once_and_costs_nothing(broker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        register(URL)
    end_query()
    asked: list[uuid.UUID] = []

    def away(delivery_id: uuid.UUID) -> bool:
        asked.append(delivery_id)
        return False

    with monkeypatch.context() as outage:
        outage.setattr("workers.background.due_work.launch_delivery", away)
        assert dispatch(LIMITS) == 0
    assert len(asked) == 1
    assert dispatch(LIMITS) == 3
    assert len(published(broker)) == 3


def test_only_the_leader_dispatches(broker: Any) -> None:
    register(URL)
    end_query()
    with transaction() as session:
        assert try_leader_lock(session, Leader.DISPATCHER)
        assert try_leader_lock(session)  # the reconciler's is another one
        assert dispatch(LIMITS) == 0
    assert published(broker) == []
    assert dispatch(LIMITS) == 1
