"""Overload is refused before anything is read or written, with the time to retry (A7)."""

import json
import uuid
from collections.abc import Generator
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from config.settings import settings
from db.models import DEFAULT_TENANT
from db.queries.access.keys import get_or_add_tenant
from db.queries.admission.backlog import measure
from db.session import acting_for, system_transaction, transaction
from domain.keys import parse_key
from services.queries import load_shedding
from tests.api.problems import assert_problem
from tests.factories import make_document, make_query
from tests.keys import bearer, make_key
from tests.processes import living

QUESTION = {"question": "How long?", "workspace": "w"}
LINES = {"Content-Type": "application/x-ndjson"}
GIVEN = {"answer": "It takes 14 days [1].", "sources": [{"text": "It takes 14 days."}]}
SCRIPT, PERSON = {"Citewell-Priority": "batch"}, {"Citewell-Priority": "interactive"}
QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("/v1/queries", QUESTION),
    ("/v1/verifications", GIVEN),
    ("/v1/chat/completions", {"model": "w", "messages": [{"role": "user", "content": "How long?"}]}),
    ("/query", {"query": "How long?"}),
    ("/chat", {"message": "How long?"}),
    ("/agent/chat", {"message": "How long?"}),
    ("/agentic/chat", {"message": "How long?"}),
    ("/multiagent/chat", {"message": "How long?"}),
    ("/query/verified", {"query": "How long?"}),
    ("/api/query", {"query": "How long?"}),
    ("/v1/conversations/00000000-0000-0000-0000-000000000000/turns", {"question": "How long?"}),
]


@pytest.fixture(autouse=True)
def small(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Capacity for two waiting questions of a tenant, four in all, and as many documents."""
    assert http
    limits = {"MAX_QUEUED_PER_TENANT": 2, "MAX_QUEUED": 4, "MAX_DOCUMENTS_QUEUED": 4}
    for name, value in limits.items():
        monkeypatch.setenv(f"CITEWELL_ADMISSION__{name}", str(value))
    settings.cache_clear()
    yield
    load_shedding.reset()


@pytest.fixture
def room_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAX_QUEUED_PER_TENANT", "MAX_QUEUED"):
        monkeypatch.setenv(f"CITEWELL_ADMISSION__{name}", "1000")
    settings.cache_clear()


def wait_in_line(count: int, tenant: str = "default", **over: Any) -> int:
    with system_transaction() as session:
        tenant_id = get_or_add_tenant(session, tenant, "whsec_")
    with acting_for(tenant_id), transaction() as session:
        for _ in range(count):
            make_query(session, **over)
    load_shedding.reset()
    return tenant_id


def rows(table: str = "queries") -> int:
    with system_transaction() as session:
        return session.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()


@pytest.mark.parametrize(("path", "body"), QUESTIONS, ids=[path for path, _ in QUESTIONS])
def test_a_tenant_with_a_full_backlog_is_refused_everywhere(
    http: httpx.Client, path: str, body: dict[str, Any]
) -> None:  # A7
    wait_in_line(3)
    refused = http.post(path, json=body)
    assert "More than 2 of your questions" in assert_problem(refused, 429, "backlog_full")["detail"]
    assert 1 <= int(refused.headers["retry-after"]) <= 300
    assert rows() == 3


def test_others_are_not_refused_for_it_until_all_lines_are_long(http: httpx.Client) -> None:  # A7
    wait_in_line(3)
    other = make_key(tenant="other")
    with acting_for(wait_in_line(0, "other")), transaction() as session:
        make_document(session, "text")
    accepted = http.post("/v1/queries", json=QUESTION, headers=bearer(other))
    assert accepted.status_code == 202, accepted.text
    wait_in_line(2, "third")
    refused = http.post("/v1/queries", json=QUESTION, headers=bearer(other))
    assert "More than 4 questions" in assert_problem(refused, 503, "overloaded")["detail"]
    assert 1 <= int(refused.headers["retry-after"]) <= 300


def test_what_was_let_through_counts_at_once_though_the_backlog_is_remembered(http: httpx.Client) -> None:  # A7
    with acting_for(DEFAULT_TENANT), transaction() as session:
        make_document(session, "text")
    told = [http.post("/v1/queries", json=QUESTION).status_code for _ in range(5)]
    assert told == [202, 202, 202, 429, 429]


def ended(seconds_each: float, count: int) -> None:
    """`count` questions that have just ended, each after `seconds_each`."""
    wait_in_line(count, question="new")
    with system_transaction() as session:
        done = text("""
            UPDATE queries SET status = 'succeeded', finished_at = now(),
                               started_at = now() - make_interval(secs => :s)
            WHERE status = 'queued' AND question = 'new'
        """)
        session.execute(done, {"s": seconds_each})
    load_shedding.reset()


def running(seconds: float, count: int) -> None:
    """`count` questions that are running, each for `seconds`."""
    wait_in_line(count, status="running")
    with system_transaction() as session:
        since = text("UPDATE queries SET started_at = now() - make_interval(secs => :s) WHERE status = 'running'")
        session.execute(since, {"s": seconds})
    load_shedding.reset()


def test_a_question_that_would_wait_too_long_is_refused_with_the_time_that_it_takes(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:  # A7
    monkeypatch.setenv("CITEWELL_ADMISSION__IN_FLIGHT_PER_PROCESS", "2")
    monkeypatch.setenv("CITEWELL_ADMISSION__MAX_WAIT_S", "100")
    settings.cache_clear()
    monkeypatch.setenv("CITEWELL_ADMISSION__MAX_QUEUED_PER_TENANT", "100")
    monkeypatch.setenv("CITEWELL_ADMISSION__MAX_QUEUED", "100")
    settings.cache_clear()
    # Two at a time, 60 s each: 400 seconds of places for what is ended and as much as is assumed, one in 29 s.
    ended(60, 6)
    running(0, 2)
    wait_in_line(2)
    assert http.post("/v1/queries", json=QUESTION | {"workspace": "none"}).status_code == 404
    wait_in_line(3, "other")
    # Two of its own and three of the other come first.
    refused = http.post("/v1/queries", json=QUESTION)
    told = assert_problem(refused, 503, "overloaded")["detail"]
    wait_s = float(told.removeprefix("The question would wait for about ").split()[0])
    assert 5 * 24 < wait_s < 5 * 30
    assert int(refused.headers["retry-after"]) == pytest.approx(wait_s - 90, abs=1)


def script(http: httpx.Client) -> httpx.Response:
    """Ask as a script, with one process that can take eight queries.

    The workspace does not exist, so a request that is not refused for lack of capacity gets 404.
    """
    with living("verification", room=8):
        load_shedding.reset()
        return http.post("/v1/queries", json=QUESTION | {"workspace": "none"}, headers=SCRIPT)


@pytest.mark.usefixtures("room_for_all")
def test_the_first_dozens_are_not_refused_before_anything_is_known(http: httpx.Client) -> None:  # F11
    wait_in_line(48)
    assert script(http).status_code == 404
    wait_in_line(90)
    assert_problem(script(http), 503, "overloaded")


@pytest.mark.usefixtures("room_for_all")
def test_less_is_accepted_at_once_when_nothing_ends_any_more(http: httpx.Client) -> None:  # F11
    ended(1, 30)
    wait_in_line(60)
    assert script(http).status_code == 404
    # Eight run and have not ended for a minute, and what ended before is longer ago.
    running(60, 8)
    with system_transaction() as session:
        session.execute(text("UPDATE queries SET finished_at = now() - interval '61 s' WHERE status = 'succeeded'"))
    refused = script(http)
    assert_problem(refused, 503, "overloaded")
    assert 60 <= int(refused.headers["retry-after"]) <= 300


def test_what_nobody_works_on_tells_nothing_of_the_speed(http: httpx.Client) -> None:  # A5, F11
    assert http
    with living("verification", room=8), system_transaction() as session:
        before = measure(session, per_process=8, most=10).pace
    running(60, 8)
    with living("verification", room=8), system_transaction() as session:
        starved = measure(session, per_process=8, most=10).pace
        session.execute(text("UPDATE queries SET progress_at = started_at"))
    with living("verification", room=8), system_transaction() as session:
        away = measure(session, per_process=8, most=10).pace
    assert starved.busy_s == pytest.approx(480, rel=0.1)
    assert away.busy_s == pytest.approx(80, rel=0.1)
    assert before.per_second > away.per_second > 3 * starved.per_second


def test_a_question_whose_own_time_is_too_short_waits_for_nobody(http: httpx.Client) -> None:  # F11
    with acting_for(DEFAULT_TENANT), transaction() as session:
        make_document(session, "text")
    ended(30, 10)
    # It takes about 25 s; while places are free, any question may try.
    for _ in range(2):
        assert http.post("/v1/queries", json={**QUESTION, "deadline_s": 10}).status_code == 202
    running(1, 32)
    for path, body in (("/v1/queries", QUESTION), ("/v1/verifications", GIVEN)):
        refused = http.post(path, json={**body, "deadline_s": 10})
        assert "may for 0" in assert_problem(refused, 503, "overloaded")["detail"]
        assert int(refused.headers["retry-after"]) >= 1
    assert http.post("/v1/verifications", json={**GIVEN, "deadline_s": 40}).status_code == 202


@pytest.mark.parametrize(
    "body", ["[" * 200_000, '{"deadline_s": 1' + "0" * 400 + "}", '{"deadline_s": NaN}', "[]", "\x00"]
)
def test_a_body_that_says_nothing_of_use_is_no_error_of_ours(http: httpx.Client, body: str) -> None:  # F11
    headers = {"Content-Type": "application/json"}
    assert http.post("/v1/queries", content=body, headers=headers).status_code in {400, 422}
    # A route without a body does not read it.
    assert http.post(f"/v1/queries/{uuid.uuid4()}/replay", content=body, headers=headers).status_code == 404


def stored() -> list[tuple[bool, str | None]]:
    """Whether each query counts as scripted, and the id of its key; oldest first."""
    with system_transaction() as session:
        rows = session.execute(text("SELECT is_scripted, asked_by FROM queries ORDER BY created_at, position"))
        return [(row[0], row[1]) for row in rows]


@pytest.mark.usefixtures("room_for_all")
def test_who_asks_is_said_or_told_from_how_many_of_a_key_are_in_flight(http: httpx.Client) -> None:  # F11
    with acting_for(DEFAULT_TENANT), transaction() as session:
        make_document(session, "text")
    one, other = make_key(), make_key()
    for headers in ([bearer(one)] * 5) + [bearer(other), bearer(one) | PERSON, bearer(other) | SCRIPT]:
        assert http.post("/v1/queries", json=QUESTION, headers=headers).status_code == 202
    assert [scripted for scripted, _ in stored()] == [False] * 3 + [True] * 2 + [False, False, True]
    assert [key for _, key in stored()] == [parse_key(each).id for each in [one] * 5 + [other, one, other]]


@pytest.mark.usefixtures("room_for_all")
def test_every_way_to_ask_can_say_who_asks_and_nonsense_is_refused(http: httpx.Client) -> None:  # F11
    with acting_for(DEFAULT_TENANT), transaction() as session:
        make_document(session, "text")
    for path, body in QUESTIONS[:2]:
        for headers in (SCRIPT, PERSON):
            assert http.post(path, json=body, headers=headers).status_code == 202
    again = http.get("/v1/queries").json()["queries"][0]["id"]
    assert http.delete(f"/v1/queries/{again}").status_code == 200
    assert http.post(f"/v1/queries/{again}/replay", headers=SCRIPT).status_code == 202
    assert [scripted for scripted, _ in stored()] == [True, False, True, False, True]
    refused = http.post("/v1/queries", json=QUESTION, headers={"Citewell-Priority": "urgent"})
    assert "Citewell-Priority" in str(assert_problem(refused, 422, "request_invalid")["errors"])
    assert http.post("/v1/verifications/batches", content=batch(2), headers=LINES).status_code == 202
    assert [scripted for scripted, _ in stored()][5:] == [True, True]


def test_a_repetition_of_what_was_accepted_is_answered(http: httpx.Client) -> None:  # A3, A7
    wait_in_line(2)
    headers = {"Idempotency-Key": "once"}
    first = http.post("/v1/queries", json=QUESTION, headers=headers)
    assert first.status_code == 202, first.text
    load_shedding.reset()
    again = http.post("/v1/queries", json=QUESTION, headers=headers)
    assert (again.status_code, again.headers["idempotent-replayed"]) == (202, "true")
    assert again.json()["id"] == first.json()["id"]
    assert_problem(http.post("/v1/queries", json=QUESTION, headers={"Idempotency-Key": "new"}), 429, "backlog_full")
    assert rows("idempotency_keys") == 1


def test_looking_cancelling_and_health_go_on(http: httpx.Client) -> None:  # A7
    wait_in_line(5)
    (first, *_) = http.get("/v1/queries").json()["queries"]
    here = f"/v1/queries/{first['id']}"
    for path in (here, "/healthz", "/readyz", "/v1/models", "/v1/documents"):
        assert http.get(path).status_code == 200, path
    assert http.delete(here).json()["status"] == "cancelled"


def batch(count: int) -> bytes:
    return "\n".join(json.dumps(GIVEN) for _ in range(count)).encode()


def test_a_file_is_accepted_or_refused_as_a_whole_and_people_are_not_refused_for_it(http: httpx.Client) -> None:  # N2
    path = "/v1/verifications/batches"
    wait_in_line(1)
    assert http.post(path, content=batch(20), headers=LINES).json()["total"] == 20
    load_shedding.reset()
    refused = http.post(path, content=b"not even read", headers=LINES)
    assert "2 of your verifications in batches" in assert_problem(refused, 429, "backlog_full")["detail"]
    assert rows("batches") == 1
    assert http.post("/v1/queries", json=QUESTION).status_code == 202


def test_other_tenants_files_are_not_refused_for_one_long_file(http: httpx.Client) -> None:  # A7, N2
    path, other = "/v1/verifications/batches", make_key(tenant="other")
    assert http.post(path, content=batch(20), headers=LINES).status_code == 202
    load_shedding.reset()
    assert http.post(path, content=batch(20), headers=LINES | bearer(other)).status_code == 202
    load_shedding.reset()
    assert_problem(
        http.post(path, content=batch(1), headers=LINES | bearer(make_key(tenant="third"))), 503, "overloaded"
    )


def documents(count: int, tenant_id: int = DEFAULT_TENANT) -> None:
    with acting_for(tenant_id), transaction() as session:
        for number in range(count):
            make_document(session, "words", number=number, status="queued")


@pytest.mark.parametrize("path", ["/v1/documents", "/v1/imports"])
def test_uploads_are_refused_before_they_are_read(http: httpx.Client, path: str) -> None:  # A7
    documents(3)
    upload = {"file": ("a.txt", b"no archive, and too many of them")}
    assert "2 of your documents" in assert_problem(http.post(path, files=upload), 429, "backlog_full")["detail"]
    other, third = make_key(tenant="other"), wait_in_line(0, "third")
    documents(2, third)
    assert_problem(http.post(path, files=upload, headers=bearer(other)), 503, "overloaded")
    assert rows("documents") == 5
