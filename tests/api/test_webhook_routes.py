"""Webhooks over HTTP: registered, changed, tested, listed and replayed (A6)."""

import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from config.settings import settings
from db.models import DeliveryStatus, QueryStatus
from db.queries.webhooks import deliveries as rows
from db.session import transaction
from domain.webhooks.delivery import EventType
from tests.api.problems import assert_problem
from tests.factories import make_query
from tests.webhooks import all_deliveries, as_other_tenant, end_query, later, register
from verify_material.rows import for_all_rows

pytestmark = pytest.mark.usefixtures("database")

URL = "https://example.com/hooks"
OWN = "whsec_" + "A" * 43 + "="
Json = dict[str, Any]


def add(http: httpx.Client, **over: Any) -> Json:
    response = http.post("/v1/webhooks", json={"url": URL, "events": ["query.*"], **over})
    assert response.status_code == 201, response.text
    assert response.headers["location"] == f"/v1/webhooks/{response.json()['id']}"
    return response.json()


def deliveries_of(http: httpx.Client, webhook: Json, **params: Any) -> Json:
    return http.get(f"/v1/webhooks/{webhook['id']}/deliveries", params=params).raise_for_status().json()


def end_all(status: DeliveryStatus) -> None:
    """Give every waiting delivery this final status."""
    with transaction() as session:
        for delivery in all_deliveries():
            found = rows.lock_attempt(session, delivery.id)
            if found and found.status == DeliveryStatus.PENDING:
                rows.finish_delivery(session, found, status, "HTTP 500")


# A6
def test_the_secret_is_shown_once(http: httpx.Client) -> None:
    made = add(http, description="the bot")
    assert made["secret"].startswith("whsec_")
    assert add(http, secret=OWN)["secret"] == OWN
    shown = http.get(f"/v1/webhooks/{made['id']}").json()
    assert shown == {name: value for name, value in made.items() if name != "secret"}
    assert (shown["url"], shown["events"], shown["description"]) == (URL, ["query.*"], "the bot")
    assert (shown["status"], shown["disabled_reason"], shown["failing_since"]) == ("active", None, None)
    listed = http.get("/v1/webhooks")
    assert [each["id"] for each in listed.json()["webhooks"]][-1] == made["id"]
    assert "whsec_" not in listed.text


# A6
@for_all_rows(
    ("over", "code"),
    [
        ({"url": "https://127.0.0.1/"}, "address_forbidden"),
        ({"url": "http://example.com/"}, "address_forbidden"),
        ({"url": "not a url"}, "webhook_url_invalid"),
        ({"events": []}, "event_type_unknown"),
        ({"events": ["query.begun"]}, "event_type_unknown"),
        ({"secret": "whsec_short"}, "webhook_secret_invalid"),
        ({"url": ""}, "request_invalid"),
        ({"colour": "red"}, "request_invalid"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_reason(http: httpx.Client, over: Json, code: str) -> None:
    response = http.post("/v1/webhooks", json={"url": URL, "events": ["*"], **over})
    assert_problem(response, 422, code)
    assert "whsec_short" not in response.text


# A6
def test_a_change_changes_what_it_names(http: httpx.Client) -> None:
    webhook = add(http)
    here = f"/v1/webhooks/{webhook['id']}"
    end_query()
    changed = http.patch(here, json={"url": "https://example.org/new", "events": ["*", "*"]}).json()
    assert (changed["url"], changed["events"], changed["status"]) == ("https://example.org/new", ["*"], "active")
    [waiting] = deliveries_of(http, webhook)["deliveries"]
    assert (waiting["url"], waiting["status"]) == ("https://example.org/new", "pending")
    disabled = http.patch(here, json={"status": "disabled"}).json()
    assert (disabled["status"], disabled["disabled_reason"]) == ("disabled", "It was disabled by request.")
    [cancelled] = deliveries_of(http, webhook)["deliveries"]
    assert (cancelled["status"], cancelled["next_attempt_at"]) == ("cancelled", None)
    enabled = http.patch(here, json={"status": "active", "description": "again"}).json()
    assert (enabled["status"], enabled["disabled_reason"], enabled["description"]) == ("active", None, "again")
    assert_problem(http.patch(here, json={"url": "https://10.0.0.1/"}), 422, "address_forbidden")
    assert_problem(http.patch(here, json={"events": []}), 422, "event_type_unknown")
    assert_problem(http.patch(here, json={"status": "asleep"}), 422, "request_invalid")


# A6
def test_a_deleted_webhook_is_gone_with_its_deliveries(http: httpx.Client) -> None:
    webhook = add(http)
    end_query()
    assert http.delete(f"/v1/webhooks/{webhook['id']}").status_code == 204
    assert_problem(http.get(f"/v1/webhooks/{webhook['id']}"), 404, "webhook_not_found")
    assert all_deliveries() == []


# A6
def test_a_rotation_shows_the_new_secret(http: httpx.Client) -> None:
    webhook = add(http)
    rotated = http.post(f"/v1/webhooks/{webhook['id']}/rotate-secret").json()
    assert rotated["secret"] not in (webhook["secret"], OWN)
    given = http.post(f"/v1/webhooks/{webhook['id']}/rotate-secret", json={"secret": OWN}).json()
    assert given["secret"] == OWN


# A6
def test_the_callback_secret_can_be_read_and_replaced(http: httpx.Client) -> None:
    first = http.get("/v1/webhooks/callback-secret").json()["secret"]
    second = http.post("/v1/webhooks/callback-secret/rotate").json()["secret"]
    assert first.startswith("whsec_")
    assert second != first
    assert http.get("/v1/webhooks/callback-secret").json() == {"secret": second}


# A6
def test_one_delivery_is_shown_with_the_body_of_its_message(http: httpx.Client) -> None:
    webhook = add(http)
    sent = http.post(f"/v1/webhooks/{webhook['id']}/test").json()
    shown = http.get(f"/v1/deliveries/{sent['id']}").json()
    assert {name: value for name, value in shown.items() if name != "payload"} == sent
    message = json.loads(shown["payload"])
    assert (message["type"], message["data"]["webhook_id"]) == ("webhook.test", webhook["id"])
    assert_problem(http.get(f"/v1/deliveries/{uuid.uuid4()}"), 404, "delivery_not_found")


# A6
def test_a_test_message_is_written_whatever_the_filters(http: httpx.Client) -> None:
    webhook = add(http, events=["document.failed"])
    response = http.post(f"/v1/webhooks/{webhook['id']}/test")
    assert response.status_code == 202
    sent = response.json()
    assert (sent["type"], sent["webhook_id"], sent["status"]) == ("webhook.test", webhook["id"], "pending")
    assert deliveries_of(http, webhook)["deliveries"] == [sent]
    http.patch(f"/v1/webhooks/{webhook['id']}", json={"status": "disabled"})
    assert_problem(http.post(f"/v1/webhooks/{webhook['id']}/test"), 409, "webhook_disabled")


# A6
def test_deliveries_come_in_pages_without_gaps(http: httpx.Client) -> None:
    webhook = add(http)
    ended = [str(end_query()) for _ in range(5)]
    other = add(http)
    pages = [deliveries_of(http, webhook, limit=2)]
    while pages[-1]["next_cursor"]:
        # Rows written meanwhile do not shift the pages.
        end_query()
        pages.append(deliveries_of(http, webhook, limit=2, cursor=pages[-1]["next_cursor"]))
    seen = [delivery["query_id"] for page in pages for delivery in page["deliveries"]]
    assert seen == ended[::-1]
    assert len(deliveries_of(http, other)["deliveries"]) == 2
    here = f"/v1/webhooks/{webhook['id']}/deliveries"
    assert_problem(http.get(here, params={"cursor": "page-2"}), 422, "cursor_invalid")
    assert_problem(http.get(here, params={"limit": 0}), 422, "request_invalid")


# A6
def test_deliveries_tell_their_state_and_every_attempt(http: httpx.Client) -> None:
    webhook = add(http)
    query_id = end_query(callback_url="https://example.org/once")
    [callback] = [each for each in all_deliveries() if each.endpoint_id is None]
    result = rows.AttemptResult(503, None, "203.0.113.7", 12.0, "busy")
    with transaction() as session:
        rows.add_attempt(session, callback.id, 1, datetime.now(UTC), result)
    end_all(DeliveryStatus.FAILED)
    told = http.get(f"/v1/queries/{query_id}/deliveries").json()["deliveries"]
    assert {each["webhook_id"] for each in told} == {webhook["id"], None}
    assert len({each["message_id"] for each in told}) == 1
    [own] = [each for each in told if each["webhook_id"] is None]
    [attempt] = own["attempts"]
    assert attempt.keys() == {"number", "time", "status_code", "error", "duration_ms", "response_excerpt"}
    assert (attempt["number"], attempt["status_code"], attempt["response_excerpt"]) == (1, 503, "busy")
    assert deliveries_of(http, webhook, status="delivered")["deliveries"] == []
    assert len(deliveries_of(http, webhook, status="failed")["deliveries"]) == 1


# A6
def test_one_delivery_is_replayed_under_the_same_id(http: httpx.Client) -> None:
    webhook = add(http)
    end_query()
    [old] = deliveries_of(http, webhook)["deliveries"]
    assert_problem(http.post(f"/v1/deliveries/{old['id']}/replay"), 409, "delivery_pending")
    end_all(DeliveryStatus.DELIVERED)
    response = http.post(f"/v1/deliveries/{old['id']}/replay")
    assert response.status_code == 202
    new = response.json()
    assert (new["message_id"], new["status"], new["attempts"]) == (old["message_id"], "pending", [])
    assert new["id"] != old["id"]
    end_all(DeliveryStatus.FAILED)
    http.patch(f"/v1/webhooks/{webhook['id']}", json={"status": "disabled"})
    assert_problem(http.post(f"/v1/deliveries/{new['id']}/replay"), 409, "webhook_disabled")


# A6
def test_a_range_is_replayed(http: httpx.Client) -> None:
    webhook = add(http)
    here = f"/v1/webhooks/{webhook['id']}"
    early = end_query()
    later(hours=3)
    failed = end_query()
    end_all(DeliveryStatus.FAILED)
    fine = end_query()
    end_all(DeliveryStatus.DELIVERED)
    http.patch(here, json={"status": "disabled"})
    missed = end_query(QueryStatus.FAILED)
    http.patch(here, json={"status": "active"})
    since = (datetime.now(UTC) - timedelta(hours=1)).isoformat()

    def replayed(**asked: Any) -> int:
        response = http.post(f"{here}/replay", json={"since": since, **asked})
        assert response.status_code == 202, response.text
        return response.json()["replayed"]

    def waiting() -> set[str]:
        return {each["query_id"] for each in deliveries_of(http, webhook, status="pending")["deliveries"]}

    assert replayed(until=since) == 0
    assert replayed() == 2
    assert waiting() == {str(failed), str(missed)}
    assert replayed() == 0  # they are on their way
    end_all(DeliveryStatus.DELIVERED)
    assert replayed() == 0
    assert replayed(status=["delivered"]) == 3
    assert waiting() == {str(failed), str(missed), str(fine)}
    end_all(DeliveryStatus.DELIVERED)
    assert replayed(since="2026-01-01T00:00:00+01:00", status=["failed"]) == 1
    assert waiting() == {str(early)}
    assert replayed(since="0001-01-01T00:00:00+14:00", until="9999-12-31T23:59:59-14:00") == 0
    assert_problem(http.post(f"{here}/replay", json={"since": "yesterday"}), 422, "request_invalid")
    assert_problem(http.post(f"{here}/replay", json={"since": "2026-01-01T00:00:00"}), 422, "request_invalid")
    http.patch(here, json={"status": "disabled"})
    assert_problem(http.post(f"{here}/replay", json={"since": since}), 409, "webhook_disabled")


# A6
def test_the_list_names_every_type_that_a_filter_can_name(http: httpx.Client) -> None:
    types = http.get("/v1/webhooks").json()["event_types"]
    assert types == list(EventType)
    registered = http.post("/v1/webhooks", json={"url": "https://example.com/hook", "events": types})
    assert registered.status_code == 201


# A6
def test_a_question_names_its_callback(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with transaction() as session:
        make_query(session)
    asked = {"question": "How long?", "workspace": "w", "callback_url": "http://127.0.0.1:9/x"}
    assert (
        "ALLOWED_NETWORKS" in assert_problem(http.post("/v1/queries", json=asked), 422, "address_forbidden")["detail"]
    )
    assert_problem(http.post("/v1/queries", json={**asked, "callback_url": "ftp:"}), 422, "webhook_url_invalid")
    monkeypatch.setenv("CITEWELL_WEBHOOKS__ALLOWED_NETWORKS", '["127.0.0.0/8"]')
    settings.cache_clear()
    query_id = http.post("/v1/queries", json=asked).raise_for_status().json()["id"]
    assert http.get(f"/v1/queries/{query_id}/deliveries").json() == {"deliveries": []}


# A6, A8
def test_what_another_tenant_has_is_not_there(http: httpx.Client) -> None:
    with as_other_tenant():
        endpoint_id, _ = register(URL)
        query_id = end_query()
        [delivery] = all_deliveries()
    one = f"/v1/webhooks/{endpoint_id}"
    since = {"since": "2026-01-01T00:00:00Z"}
    asked: list[tuple[str, str, Json | None]] = [
        ("GET", one, None),
        ("PATCH", one, {"status": "disabled"}),
        ("DELETE", one, None),
        ("POST", f"{one}/rotate-secret", None),
        ("POST", f"{one}/test", None),
        ("GET", f"{one}/deliveries", None),
        ("POST", f"{one}/replay", since),
    ]
    for method, path, body in asked:
        assert_problem(http.request(method, path, json=body), 404, "webhook_not_found")
    assert_problem(http.post(f"/v1/deliveries/{delivery.id}/replay"), 404, "delivery_not_found")
    assert_problem(http.get(f"/v1/queries/{query_id}/deliveries"), 404, "query_not_found")
    assert http.get("/v1/webhooks").json()["webhooks"] == []


def test_an_unknown_id_is_not_found(http: httpx.Client) -> None:
    assert_problem(http.post(f"/v1/deliveries/{uuid.uuid4()}/replay"), 404, "delivery_not_found")
    assert_problem(http.get("/v1/webhooks/7"), 422, "request_invalid")
