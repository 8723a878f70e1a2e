"""Questions as jobs: repeated, listed page by page, cancelled (A3)."""

import uuid
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from db.models import QueryStatus
from db.queries.runs.queries import mark_finished
from db.session import reading, transaction
from services.queries.results import read_history
from tests.api.problems import assert_problem
from tests.factories import make_query
from tests.waiting import at_once

pytestmark = pytest.mark.usefixtures("workspace_w")

KEY = "0b1e3f0a-2f0f-4f6e-9d9a-1b2c3d4e5f60"


def post(http: httpx.Client, question: str = "How long?", *, key: str | None = KEY, **body: Any) -> httpx.Response:
    headers = {"Idempotency-Key": key} if key is not None else {}
    return http.post("/v1/queries", json={"question": question, "workspace": "w", **body}, headers=headers)


def count_queries() -> int:
    with reading() as session:
        return session.execute(text("SELECT count(*) FROM queries")).scalar_one()


def test_the_same_request_with_the_same_key_gets_the_first_response(http: httpx.Client) -> None:  # A3
    first, second = post(http), post(http)
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json() == second.json()
    assert first.headers["location"] == second.headers["location"]
    assert "idempotent-replayed" not in first.headers
    assert second.headers["idempotent-replayed"] == "true"
    assert count_queries() == 1


def test_another_body_under_the_same_key_is_refused(http: httpx.Client) -> None:  # A3
    assert post(http).status_code == 202
    assert_problem(post(http, "How much?"), 422, "idempotency_key_reused")
    assert count_queries() == 1


def test_another_key_or_none_makes_another_query(http: httpx.Client) -> None:  # A3
    ids = {post(http, key=key).json()["id"] for key in (KEY, "another", None, None)}
    assert len(ids) == 4


def test_a_refused_request_does_not_use_up_its_key(http: httpx.Client) -> None:  # A3
    assert_problem(post(http, workspace="nowhere"), 404, "workspace_not_found")
    assert post(http).status_code == 202


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "é".encode().decode("latin-1")])
def test_a_key_that_is_none_is_refused(http: httpx.Client, key: str) -> None:
    response = http.post(
        "/v1/queries",
        json={"question": "How long?", "workspace": "w"},
        headers=[(b"Idempotency-Key", key.encode("latin-1"))],
    )
    assert_problem(response, 422, "idempotency_key_invalid")


def test_many_at_once_with_one_key_make_one_query(api_url: str) -> None:  # A3
    answers: list[httpx.Response] = []

    def send(_: int) -> None:
        with httpx.Client(base_url=api_url, timeout=30) as client:
            answers.append(post(client))

    at_once(send, 8)
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert sum("idempotent-replayed" not in answer.headers for answer in answers) == 1
    assert count_queries() == 1


def pages(http: httpx.Client, **params: Any) -> list[list[str]]:
    found: list[list[str]] = []
    cursor = None
    while True:
        asked = params | ({"cursor": cursor} if cursor else {})
        page = http.get("/v1/queries", params=asked).raise_for_status().json()
        found.append([query["id"] for query in page["queries"]])
        if (cursor := page["next_cursor"]) is None:
            return found


def test_pages_hold_every_query_once_while_others_arrive(http: httpx.Client) -> None:  # A3
    with transaction() as session:
        # In one transaction: all of the same time, so that the order is by id alone.
        made = [str(make_query(session, workspace="w").id) for _ in range(7)]
    first = http.get("/v1/queries", params={"limit": 3}).json()
    post(http, key=None)
    rest = pages(http, limit=3, cursor=first["next_cursor"])
    assert [query["id"] for query in first["queries"]] + [i for page in rest for i in page] == sorted(
        made, reverse=True
    )


def test_the_list_is_filtered_by_time_state_and_workspace(http: httpx.Client) -> None:  # A3
    ids = [post(http, key=None).json()["id"] for _ in range(3)]
    with transaction() as session:
        mark_finished(session, uuid.UUID(ids[1]), QueryStatus.CANCELLED)
        make_query(session, workspace="elsewhere")
    times = {query["id"]: query["created_at"] for query in http.get("/v1/queries").json()["queries"]}
    assert pages(http, workspace="w", status="cancelled") == [[ids[1]]]
    assert pages(http, workspace="w", created_after=times[ids[1]]) == [[ids[2], ids[1]]]
    assert pages(http, workspace="w", created_before=times[ids[1]]) == [[ids[0]]]
    assert pages(http, workspace="w", limit=2) == [[ids[2], ids[1]], [ids[0]]]


@pytest.mark.parametrize("cursor", ["x", "e30=", "WyJ5IiwgMV0=", "WyIyMDI2LTAxLTAxIiwgImEiXQ==", "é"])
def test_a_cursor_that_nobody_gave_out_is_refused(http: httpx.Client, cursor: str) -> None:
    assert_problem(http.get("/v1/queries", params={"cursor": cursor}), 422, "cursor_invalid")


def test_a_cancelled_query_has_ended_and_stays_so(http: httpx.Client) -> None:  # A3
    query_id = post(http).json()["id"]
    for _ in range(2):
        cancelled = http.delete(f"/v1/queries/{query_id}")
        assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")
    events = [event["type"] for event in read_history(uuid.UUID(query_id))["events"]]
    assert events.count("cancelled") == 1


def test_what_has_ended_cannot_be_cancelled(http: httpx.Client) -> None:  # A3
    query_id = post(http).json()["id"]
    with transaction() as session:
        mark_finished(session, uuid.UUID(query_id), QueryStatus.SUCCEEDED)
    assert_problem(http.delete(f"/v1/queries/{query_id}"), 409, "query_finished")
    assert_problem(http.delete(f"/v1/queries/{uuid.uuid4()}"), 404, "query_not_found")
