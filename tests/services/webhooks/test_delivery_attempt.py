"""The fate of a delivery, whatever the receiver does; time passes by moving stored times (A6)."""

import json
import logging
import threading
import time
import uuid
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import copy_context
from datetime import timedelta
from itertools import islice

import pytest
from sqlalchemy import text

from clients.webhooks.sending import Sent
from clients.webhooks.signing import new_secret
from db.models import DEFAULT_TENANT, DeliveryStatus, EndpointStatus, QueryStatus
from db.queries.webhooks import deliveries as rows
from db.queries.webhooks.endpoints import get_endpoint
from db.session import acting_for, system_transaction, transaction
from services.webhooks import endpoints
from services.webhooks.delivery_attempt import DISABLE_AFTER_S, IN_FLIGHT_OF_TENANT, LEASE_MARGIN_S, deliver
from services.webhooks.endpoints import EndpointChange
from services.webhooks.outbox import receiver_of, write_message
from tests.simulators.sink import Answer, Manner, Sink
from tests.webhooks import (
    LIMITS,
    all_deliveries,
    as_other_tenant,
    attempts_of,
    end_query,
    later,
    register,
    sending,
    the_delivery,
    verified,
    work,
)

pytestmark = pytest.mark.usefixtures("database")

OK, BROKEN = Answer(200), Answer(500, body=b"out of order")
SHORT = LIMITS.model_copy(update={"deadline_s": 0.3})


@pytest.fixture(autouse=True)
def _no_jitter(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] - pytest finds it
    monkeypatch.setattr("services.webhooks.delivery_attempt.JITTER", 0.0)


@pytest.fixture(scope="module")
def shared() -> Generator[Sink]:
    with Sink() as running:
        yield running


@pytest.fixture
def sink(shared: Sink) -> Sink:
    """One receiver for the whole file, without earlier requests; every test has its own path."""
    shared.requests.clear()
    return shared


def send(url: str, body: bytes, headers: Mapping[str, str]) -> Sent:
    return sending(LIMITS, url, body, headers)


def state() -> tuple[str, int]:
    delivery = the_delivery()
    return delivery.status, delivery.attempts


def endpoint_state(endpoint_id: uuid.UUID) -> tuple[str, bool]:
    told = endpoints.read_endpoint(endpoint_id)
    return told["status"], told["failing_since"] is not None


# A6
def test_a_delivery_is_signed_and_noted(sink: Sink) -> None:
    _, secret = register(sink.answer("/ok", Answer(202, body=b"thanks")), "query.*")
    query_id = end_query()
    assert work() == 1
    [received] = sink.received("/ok")
    told = verified(secret, received)
    assert (told["type"], told["data"]["id"]) == ("query.succeeded", str(query_id))
    assert state() == (DeliveryStatus.DELIVERED, 1)
    [attempt] = attempts_of(the_delivery().id)
    assert (attempt["number"], attempt["status_code"], attempt["error"]) == (1, 202, None)
    assert attempt["response_excerpt"] == "thanks"


# A6
def test_a_receiver_that_refuses_for_an_hour_is_tried_as_the_schedule_says(sink: Sink) -> None:
    endpoint_id, secret = register(sink.answer("/hour", BROKEN, BROKEN, BROKEN, OK))
    end_query()
    assert work() == 1
    for waits_s in (5, 300, 1800):
        later(seconds=waits_s - 4.5)
        assert work() == 0
        later(seconds=4.5)
        assert work() == 1
    assert state() == (DeliveryStatus.DELIVERED, 4)
    received = sink.received("/hour")
    assert len({request.headers["webhook-id"] for request in received}) == 1
    assert len({request.body for request in received}) == 1
    assert [verified(secret, request)["type"] for request in received] == ["query.succeeded"] * 4
    assert endpoint_state(endpoint_id) == (EndpointStatus.ACTIVE, False)


# A6
def test_after_the_whole_schedule_the_delivery_has_failed(sink: Sink) -> None:
    endpoint_id, _ = register(sink.answer("/dead", BROKEN))
    end_query()
    for wait_s in (*LIMITS.schedule_s[1:], LIMITS.schedule_s[-1]):
        assert work() == 1
        later(seconds=wait_s)
    assert state() == (DeliveryStatus.FAILED, len(LIMITS.schedule_s))
    assert the_delivery().error == "HTTP 500"
    assert [attempt["number"] for attempt in attempts_of(the_delivery().id)] == [*range(1, 11)]
    assert work() == 0
    assert endpoint_state(endpoint_id)[1]


# A6
def test_an_endpoint_that_only_fails_for_days_is_disabled(sink: Sink) -> None:
    endpoint_id, _ = register(sink.answer("/days", BROKEN))
    end_query()
    work()
    later(seconds=DISABLE_AFTER_S - 60)
    end_query()
    work()
    assert endpoint_state(endpoint_id) == (EndpointStatus.ACTIVE, True)
    later(seconds=120)
    end_query()
    assert work() >= 1
    told = endpoints.read_endpoint(endpoint_id)
    assert (told["status"], told["disabled_reason"]) == (
        "disabled",
        "Every attempt failed for more than 120 hours.",
    )
    assert {delivery.status for delivery in all_deliveries()} == {DeliveryStatus.CANCELLED}
    before = len(sink.received("/days"))
    end_query()
    later(days=1)
    assert (work(), len(sink.received("/days"))) == (0, before)


# A6
def test_gone_disables_the_endpoint_and_cancels_what_waits(sink: Sink) -> None:
    endpoint_id, _ = register(sink.answer("/gone", Answer(410)))
    end_query()
    end_query()
    assert work() == 1
    assert endpoints.read_endpoint(endpoint_id)["disabled_reason"] == "The receiver answered 410 Gone."
    assert {delivery.status for delivery in all_deliveries()} == {DeliveryStatus.FAILED, DeliveryStatus.CANCELLED}
    endpoints.change(endpoint_id, EndpointChange(status="active"), LIMITS)
    assert endpoint_state(endpoint_id) == (EndpointStatus.ACTIVE, False)
    assert work() == 0


# A6
def test_a_receiver_that_asks_for_time_gets_it(sink: Sink) -> None:
    register(sink.answer("/busy", Answer(429, {"retry-after": "900"}), OK))
    end_query()
    work()
    later(seconds=890)
    assert work() == 0
    later(seconds=20)
    assert work() == 1
    assert state() == (DeliveryStatus.DELIVERED, 2)


# A6
def test_a_redirect_is_a_failure_and_is_not_followed(sink: Sink) -> None:
    register(sink.redirect("/moved", "/target"))
    end_query()
    work()
    assert state() == (DeliveryStatus.PENDING, 1)
    assert attempts_of(the_delivery().id)[0]["status_code"] == 307
    assert sink.received("/target") == []


# A6
@pytest.mark.parametrize("manner", [Manner.HANG, Manner.DRIP_HEAD])
def test_a_receiver_that_keeps_silent_ends_at_the_deadline(sink: Sink, manner: Manner) -> None:
    register(sink.answer(f"/{manner}", Answer(manner=manner)))
    end_query()
    assert work(SHORT) == 1
    [attempt] = attempts_of(the_delivery().id)
    assert (attempt["status_code"], attempt["error"]) == (None, "no answer within 0.3 seconds")
    assert state() == (DeliveryStatus.PENDING, 1)


class Killed(BaseException):
    """The process is killed."""


# A6
def test_a_crash_after_sending_sends_again_under_the_same_id(sink: Sink) -> None:
    register(sink.answer("/crash", OK))
    end_query()
    delivery_id = the_delivery().id

    def send_and_die(url: str, body: bytes, headers: Mapping[str, str]) -> Sent:
        send(url, body, headers)
        raise Killed

    with pytest.raises(Killed):
        deliver(delivery_id, send_and_die, LIMITS)
    assert work() == 0
    later(seconds=LIMITS.deadline_s + LEASE_MARGIN_S + 1)
    assert work() == 1
    assert len({request.headers["webhook-id"] for request in sink.received("/crash")}) == 1
    assert len(sink.received("/crash")) == 2
    assert state() == (DeliveryStatus.DELIVERED, 2)
    lost, arrived = attempts_of(delivery_id)
    assert "ended before it noted" in lost["error"]
    assert (lost["number"], arrived["number"], arrived["status_code"]) == (1, 2, 200)


def test_a_delivery_that_ends_its_process_each_time_ends_too(sink: Sink) -> None:
    register(sink.answer("/poison", OK))
    end_query()

    def die(_url: str, _body: bytes, _headers: Mapping[str, str]) -> Sent:
        raise Killed

    for _ in LIMITS.schedule_s:
        with pytest.raises(Killed):
            deliver(the_delivery().id, die, LIMITS)
        later(seconds=LIMITS.deadline_s + LEASE_MARGIN_S + 1)
    assert work() == 0
    assert state() == (DeliveryStatus.FAILED, len(LIMITS.schedule_s))
    assert len(attempts_of(the_delivery().id)) == len(LIMITS.schedule_s)


def test_who_was_taken_for_dead_does_not_decide_any_more(sink: Sink) -> None:
    register(sink.answer("/zombie", OK))
    end_query()
    delivery_id = the_delivery().id

    def wake_up_late(_url: str, _body: bytes, _headers: Mapping[str, str]) -> Sent:
        later(seconds=LIMITS.deadline_s + LEASE_MARGIN_S + 1)
        assert work() == 1
        return Sent(500, None, None, 1, "", None)

    deliver(delivery_id, wake_up_late, LIMITS)
    assert state() == (DeliveryStatus.DELIVERED, 2)


# A6
def test_one_delivery_is_sent_once_however_often_it_is_started(sink: Sink) -> None:
    register(sink.answer("/once", OK))
    end_query()
    delivery_id = the_delivery().id
    with ThreadPoolExecutor(8) as threads:
        contexts = [copy_context() for _ in range(24)]
        started = [threads.submit(each.run, deliver, delivery_id, send, LIMITS) for each in contexts]
        assert [each.result() for each in started] == [None] * 24
    assert len(sink.received("/once")) == 1
    assert state() == (DeliveryStatus.DELIVERED, 1)


# A6
@pytest.mark.slow
def test_a_receiver_that_hangs_delays_no_other(sink: Sink) -> None:
    """Of 200 messages that wait for it only two are in flight at a time; those for the other receiver arrive."""
    hanging, _ = register(sink.answer("/hangs", Answer(manner=Manner.HANG)), "document.*")
    well, _ = register(sink.answer("/well", OK), "query.*")
    with transaction() as session:
        receiver = receiver_of(get_endpoint(session, hanging))
        for _ in range(200):
            write_message(session, "document.ready", {}, [receiver])
    queries = [end_query() for _ in range(20)]
    released, sent_to_hanging = threading.Event(), threading.Semaphore(0)

    def hold(url: str, body: bytes, headers: Mapping[str, str]) -> Sent:
        if url.endswith("/hangs"):
            sent_to_hanging.release()
            assert released.wait(60)
            return Sent(None, "no answer", None, 1, "", None)
        return send(url, body, headers)

    with ThreadPoolExecutor(32) as threads:
        waiting = [d for d in all_deliveries() if d.endpoint_id == hanging]
        stuck = [threads.submit(copy_context().run, deliver, d.id, hold, LIMITS) for d in waiting[:30]]
        assert sent_to_hanging.acquire(timeout=30)
        assert sent_to_hanging.acquire(timeout=30)
        # The pool still has thirty threads: those that found no room gave theirs back.
        assert [each.result() for each in islice(as_completed(stuck, timeout=30), 28)] == [None] * 28
        with system_transaction() as session:
            due = rows.list_due(session, LIMITS.in_flight)
        assert len(due) == LIMITS.in_flight
        while due:
            for delivery_id, tenant in due:
                with acting_for(tenant):
                    threads.submit(copy_context().run, deliver, delivery_id, hold, LIMITS).result(timeout=30)
            with system_transaction() as session:
                due = rows.list_due(session, LIMITS.in_flight)
        assert len(sink.received("/well")) == len(queries)
        assert not sent_to_hanging.acquire(blocking=False)
        released.set()
    ended = {d.status for d in all_deliveries() if d.endpoint_id == well}
    assert ended == {DeliveryStatus.DELIVERED}


# A6
def test_an_endpoint_is_deleted_while_one_of_its_deliveries_is_claimed(sink: Sink) -> None:
    """Both lock the endpoint first and its deliveries afterwards, so they cannot deadlock."""
    hook, _ = register(sink.answer("/gone", OK))
    end_query()
    with ThreadPoolExecutor(1) as threads:
        with transaction() as session:
            delivery = rows.lock_due(session, the_delivery().id, LIMITS.in_flight, IN_FLIGHT_OF_TENANT)
            assert delivery is not None
            removal = threads.submit(copy_context().run, endpoints.remove, hook)
            until_one_waits_for_a_lock()
            rows.begin_attempt(session, delivery, timedelta(seconds=5))
        removal.result(timeout=30)
    assert all_deliveries() == []


def until_one_waits_for_a_lock() -> None:
    deadline = time.monotonic() + 60
    here = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")
    while time.monotonic() < deadline:
        with system_transaction() as session:
            if session.scalar(here):
                return
        time.sleep(0.01)
    pytest.fail("Nobody waited for a lock.")


# A6
def test_when_one_has_ended_the_next_of_the_same_receiver_is_told(sink: Sink) -> None:
    register(sink.answer("/first", OK), "query.succeeded")
    register(sink.answer("/second", OK), "query.failed")
    end_query()
    end_query(QueryStatus.FAILED)
    end_query()
    first, other, second = all_deliveries()
    assert deliver(first.id, send, LIMITS) == second.id
    assert deliver(second.id, send, LIMITS) is None
    assert deliver(other.id, send, LIMITS) is None


# A6
def test_a_disabled_endpoint_is_sent_nothing(sink: Sink) -> None:
    endpoint_id, _ = register(sink.answer("/off", OK))
    end_query()
    endpoints.change(endpoint_id, EndpointChange(status="disabled"), LIMITS)
    end_query()
    assert work() == 0
    assert [delivery.status for delivery in all_deliveries()] == [DeliveryStatus.CANCELLED]
    assert sink.received("/off") == []


def test_a_delivery_written_while_its_endpoint_was_disabled_is_cancelled(sink: Sink) -> None:
    endpoint_id, _ = register(sink.answer("/race", OK))
    endpoints.change(endpoint_id, EndpointChange(status="disabled"), LIMITS)
    with transaction() as session:
        late = receiver_of(get_endpoint(session, endpoint_id))
        write_message(session, "query.succeeded", {}, [late])
    assert work() == 0
    assert state() == (DeliveryStatus.CANCELLED, 0)


def test_an_endpoint_deleted_during_an_attempt_is_forgotten(sink: Sink) -> None:
    endpoint_id, _ = register(sink.answer("/deleted", OK))
    end_query()

    def delete_meanwhile(url: str, body: bytes, headers: Mapping[str, str]) -> Sent:
        endpoints.remove(endpoint_id)
        return send(url, body, headers)

    assert deliver(the_delivery().id, delete_meanwhile, LIMITS) is None
    assert all_deliveries() == []


# A6
def test_both_secrets_sign_after_a_rotation_and_two_are_kept(sink: Sink) -> None:
    endpoint_id, first = register(sink.answer("/rotated", OK))
    second = endpoints.rotate_secret(endpoint_id)["secret"]
    end_query()
    work()
    [received] = sink.received("/rotated")
    assert verified(first, received) == verified(second, received)
    third = endpoints.rotate_secret(endpoint_id)["secret"]
    end_query()
    work()
    received = sink.received("/rotated")[-1]
    assert verified(second, received) == verified(third, received)
    assert len(received.headers["webhook-signature"].split()) == 2


# A6
def test_a_callback_is_signed_with_the_tenants_secret(sink: Sink) -> None:
    end_query(callback_url=sink.answer("/callback", BROKEN, OK) + "?job=7")
    work()
    secret = endpoints.rotate_callback_secret()
    later(seconds=5)
    work()
    refused, received = sink.received("/callback")
    assert verified(secret, received)["type"] == "query.succeeded"
    with pytest.raises(Exception, match="signature"):
        verified(secret, refused)
    assert the_delivery().destination == sink.url


# A6
def test_a_forbidden_address_is_refused_when_it_is_dialled(sink: Sink) -> None:
    register(sink.answer("/inside", OK))
    end_query()
    before = sink.connections
    work(LIMITS.model_copy(update={"allowed_networks": ()}))
    [attempt] = attempts_of(the_delivery().id)
    assert "not to loopback" in attempt["error"]
    assert sink.connections == before


# A6, A8
def test_secrets_are_in_no_log_and_in_no_message(
    sink: Sink, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    own = new_secret()
    with caplog.at_level(logging.DEBUG):
        endpoint_id, _ = register(sink.answer("/quiet", BROKEN), secret=own)
        rotated = endpoints.rotate_secret(endpoint_id)["secret"]
        end_query(callback_url=sink.answer("/quiet-callback", OK))
        work()
    printed = capsys.readouterr()
    assert "webhook_attempt" in printed.out
    written = (
        caplog.text
        + printed.out
        + printed.err
        + json.dumps([attempts_of(delivery.id) for delivery in all_deliveries()])
    )
    written += json.dumps(endpoints.read_endpoint(endpoint_id))
    written += "".join(str(request.headers) + request.body.decode() for request in sink.requests)
    for secret in (own, rotated, endpoints.read_callback_secret()):
        assert secret not in written
        assert secret.removeprefix("whsec_") not in written


# A6, A8
def test_a_message_of_another_tenant_moves_nothing(sink: Sink) -> None:
    register(sink.answer("/mine", OK))
    end_query()
    delivery_id = the_delivery().id
    with acting_for(DEFAULT_TENANT + 999):
        assert deliver(delivery_id, send, LIMITS) is None
    assert state() == (DeliveryStatus.PENDING, 0)
    assert sink.received("/mine") == []


# A6
def test_one_tenants_crowd_of_receivers_leaves_room_for_others() -> None:
    for number in range(5):
        register(f"http://127.0.0.1:1/{number}")
    end_query()
    with transaction() as session:
        claimed: list[uuid.UUID] = []
        for delivery in [row.id for row in all_deliveries()]:
            if (found := rows.lock_due(session, delivery, LIMITS.in_flight, 3)) is not None:
                rows.begin_attempt(session, found, timedelta(seconds=60))
                claimed.append(found.id)
    assert len(claimed) == 3
    with as_other_tenant():
        register("http://127.0.0.1:1/theirs")
        end_query()
        [theirs] = all_deliveries()
        with transaction() as session:
            assert rows.lock_due(session, theirs.id, LIMITS.in_flight, 3) is not None
