"""What is retried, when, and how often: never so that something happens twice."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from citewell_client import ApiProblem, ServerUnreachable
from tests.client.cutting import Reply, cutting, plain
from tests.client.halves import Act, Half
from tests.client.recording import problem, recording, told

DONE = told({"id": "q", "status": "succeeded"})
SAFE: list[Act] = [
    lambda c: c.query("q"),
    lambda c: c.submit("Why?"),
    lambda c: c.verify("a", [], wait=0),
    lambda c: c.verify_batch([]),
]
ONCE: list[Act] = [
    lambda c: c.cancel("q"),
    lambda c: c.keys.create("bot", ["ask"]),
    lambda c: c.webhooks.replay("d"),
]


# N9
@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("act", SAFE, ids=["get", "submit", "verify", "batch"])
def test_a_busy_server_is_asked_again_when_it_says(half: Half, act: Act, status: int) -> None:
    busy = problem(status, "busy", retry_after="0")
    with recording(busy, busy, DONE) as server:
        assert half(server.url, act)["status"] == "succeeded"
    assert len(server.asked) == 3


# N9
def test_a_question_that_is_sent_again_is_the_same_question(half: Half) -> None:
    busy = problem(503, "busy", retry_after="0")
    with recording(busy, DONE) as server:
        half(server.url, lambda client: client.submit("Why?", workspace="w", k=3))
        half(server.url, lambda client: client.submit("Why?"))
        half(server.url, lambda client: client.submit("Why?", idempotency_key="mine"))
    first, again, other, own = server.asked
    key = first.headers["idempotency-key"]
    assert first.body == again.body
    assert first.json == {"question": "Why?", "workspace": "w", "k": 3}
    assert len(key) >= 32
    assert [asked.headers["idempotency-key"] for asked in (again, own)] == [key, "mine"]
    assert other.headers["idempotency-key"] != key


# N9
def test_three_tries_are_enough(half: Half) -> None:
    with recording(problem(429, "too_many", retry_after="0")) as server, pytest.raises(ApiProblem) as caught:
        half(server.url, lambda client: client.query("q"))
    assert (caught.value.code, len(server.asked)) == ("too_many", 3)


# N9
@pytest.mark.parametrize("act", ONCE, ids=["cancel", "key", "replay"])
def test_what_could_happen_twice_is_sent_once(half: Half, act: Act) -> None:
    with recording(problem(503, "busy", retry_after="0")) as server, pytest.raises(ApiProblem):
        half(server.url, act)
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [400, 404, 422, 500, 502])
def test_a_refusal_that_stays_is_not_asked_about_again(half: Half, status: int) -> None:
    with recording(problem(status, "no", retry_after="0")) as server, pytest.raises(ApiProblem):
        half(server.url, lambda client: client.query("q"))
    assert len(server.asked) == 1


# N9
@pytest.mark.parametrize("form", ["seconds", "date"])
def test_nobody_is_kept_for_longer_than_a_minute(half: Half, form: str) -> None:
    later = "3600" if form == "seconds" else format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    with recording(problem(429, "quota", retry_after=later)) as server, pytest.raises(ApiProblem) as caught:
        half(server.url, lambda client: client.query("q"))
    assert caught.value.retry_after == pytest.approx(3600, abs=60)
    assert len(server.asked) == 1


# N9
@pytest.mark.parametrize("cut", [0, 30], ids=["before the response", "within its head"])
def test_a_connection_that_breaks_is_made_again(half: Half, cut: int) -> None:
    whole = plain('{"id": "q"}')
    with cutting(Reply(whole[:cut]), Reply(whole)) as server:
        assert half(server.url, lambda client: client.submit("Why?")) == {"id": "q"}
    assert len(server.heads) == 2
    assert len({head.split("idempotency-key: ")[1].split("\r\n")[0] for head in server.heads}) == 1


# N9
def test_a_connection_that_always_breaks_is_given_up(half: Half) -> None:
    with cutting(Reply(b"")) as server, pytest.raises(ServerUnreachable, match="cannot reach"):
        half(server.url, lambda client: client.query("q"))
    assert len(server.heads) == 3


# A5
def test_waiting_asks_a_server_that_comes_back_until_the_time_is_up(half: Half) -> None:
    busy = problem(503, "busy", retry_after="0")
    with recording(*[busy] * 6, DONE) as server:
        assert half(server.url, lambda client: client.wait("q", 30))["status"] == "succeeded"
    assert len(server.asked) == 7
    with recording(busy) as server, pytest.raises(ApiProblem):
        half(server.url, lambda client: client.wait("q", 0.3))


# N9
def test_asking_is_submitting_and_waiting(half: Half) -> None:
    with recording(told({"id": "q", "status": "queued"}, 202), told({"id": "q", "status": "running"}), DONE) as server:
        assert half(server.url, lambda client: client.ask("Why?", mode="high"))["status"] == "succeeded"
    assert [(asked.method, asked.path) for asked in server.asked] == [
        ("POST", "/v1/queries"),
        *[("GET", "/v1/queries/q")] * 2,
    ]
    assert server.asked[0].json == {"question": "Why?", "mode": "high"}
