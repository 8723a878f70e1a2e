"""Server-sent events: live, resumed on any API process, replayed (A3)."""

import json
import random
import socket
import threading
import time
import uuid
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx
import pytest

from api.app import create_app
from clients.notifications import Notifier, notify_end
from config.settings import settings
from db.models import DEFAULT_TENANT, Query, QueryStatus
from db.queries.runs.events import add_events
from db.queries.runs.queries import mark_launched
from db.session import acting_for, transaction
from services.finishing.completion import finish
from tests.api.problems import assert_problem
from tests.factories import make_query
from tests.serving import serving
from tests.waiting import meanwhile

LAST = {"final", "failed", "cancelled"}


class Received(NamedTuple):
    id: int
    type: str
    data: dict[str, Any]


@pytest.fixture
def query_id(database: str) -> uuid.UUID:
    assert database
    with transaction() as session:
        created = make_query(session).id
    with transaction() as session:
        mark_launched(session, created, 0)
    return created


@pytest.fixture(scope="module")
def other_api(redis_url: str) -> Generator[str]:
    """A second API process, as far as it matters: its own event loop and its own wake-up channel."""
    assert redis_url
    with serving(create_app()) as url:
        yield url


def beside(work: Callable[[], None]) -> AbstractContextManager[None]:
    def act() -> None:
        with acting_for(DEFAULT_TENANT):
            work()

    return meanwhile(act)


def tell(query_id: uuid.UUID, *events: tuple[str, dict[str, Any]]) -> None:
    with transaction() as session:
        add_events(session, query_id, events)
    notify_end(query_id)


def end(query_id: uuid.UUID, status: QueryStatus = QueryStatus.SUCCEEDED) -> None:
    with transaction() as session:
        finish(session, query_id, status)
    notify_end(query_id)


def parse(raw: str) -> list[Received]:
    """The complete events of a stream that may be cut anywhere."""
    events: list[Received] = []
    for block in raw.split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "data" in fields:
            events.append(Received(int(fields["id"]), fields["event"], json.loads(fields["data"])))
    return events


def read(url: str, query_id: uuid.UUID, last: int = 0, most_bytes: int | None = None) -> list[Received]:
    """Read the stream until its end, or until the connection is cut after `most_bytes`."""
    raw = b""
    headers = {"Last-Event-ID": str(last)} if last else {}
    with httpx.stream("GET", f"{url}/v1/queries/{query_id}/events", headers=headers, timeout=20) as response:
        assert response.status_code in {200, 204}
        for piece in response.iter_raw():
            raw += piece
            if most_bytes is not None and len(raw) >= most_bytes:
                raw = raw[:most_bytes]
                break
    return parse(raw.decode("utf-8", "ignore"))


@pytest.mark.slow
def test_fifty_cuts_leave_no_gap_and_no_duplicate(api_url: str, other_api: str, query_id: uuid.UUID) -> None:  # A3
    told = 600

    def work() -> None:
        writers = [threading.Thread(target=write, args=(seed,)) for seed in range(4)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        end(query_id)

    def write(seed: int) -> None:
        chance = random.Random(seed)
        with acting_for(DEFAULT_TENANT):
            for number in range(told // 4):
                tell(query_id, ("draft", {"text": "é" * chance.randint(0, 40), "writer": seed, "number": number}))
                time.sleep(chance.random() * 0.01)

    chance, joined, cuts = random.Random(50), list[Received](), 0
    with beside(work):
        while not joined or joined[-1].type not in LAST:
            url = chance.choice([api_url, other_api])
            most = chance.randint(1, 900) if cuts < 60 else None
            joined += read(url, query_id, joined[-1].id if joined else 0, most)
            cuts += 1
    assert cuts > 50, "the stream ended before it was cut often enough"
    assert [event.id for event in joined] == list(range(1, told + 2))
    for writer in range(4):
        of_one = [event.data["number"] for event in joined if event.data.get("writer") == writer]
        assert of_one == list(range(told // 4))
    assert joined[-1].data["query"]["status"] == "succeeded"


def test_events_arrive_while_the_query_runs(api_url: str, query_id: uuid.UUID) -> None:  # A3
    arrived = threading.Event()

    def work() -> None:
        tell(query_id, ("stage", {"stage": "retrieving"}))
        assert arrived.wait(10), "the first event did not arrive before the second was told"
        end(query_id)

    with beside(work), httpx.stream("GET", f"{api_url}/v1/queries/{query_id}/events", timeout=20) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["cache-control"] == "no-cache"
        raw = ""
        for piece in response.iter_text():
            raw += piece
            if "retrieving" in raw:
                arrived.set()
    assert [(event.id, event.type) for event in parse(raw)] == [(1, "stage"), (2, "final")]


def test_a_finished_query_replays_its_milestones_without_the_draft(api_url: str, query_id: uuid.UUID) -> None:  # A3
    tell(query_id, ("stage", {"stage": "generating"}), ("draft", {"start": 0, "text": "It is"}))
    tell(query_id, ("sentence.checked", {"sentence": 0, "status": "supported"}))
    end(query_id, QueryStatus.FAILED)
    replayed = read(api_url, query_id)
    assert [(event.id, event.type) for event in replayed] == [(1, "stage"), (3, "sentence.checked"), (4, "failed")]
    assert replayed[-1].data["query"]["id"] == str(query_id)
    # Somebody who was there already must not miss a part of the draft.
    assert [event.type for event in read(api_url, query_id, last=1)] == ["draft", "sentence.checked", "failed"]


def test_there_is_nothing_behind_the_last_event(http: httpx.Client, query_id: uuid.UUID) -> None:  # A3
    end(query_id)
    response = http.get(f"/v1/queries/{query_id}/events", headers={"Last-Event-ID": "1"})
    assert (response.status_code, response.content) == (204, b"")


def silent(notifier: Notifier, query_id: uuid.UUID) -> None:
    """A wake-up call that reaches nobody."""


def test_without_notifications_events_arrive_all_the_same(
    api_url: str, query_id: uuid.UUID, monkeypatch: pytest.MonkeyPatch
) -> None:  # A5
    monkeypatch.setattr(Notifier, "notify_end", silent)

    def work() -> None:
        time.sleep(0.2)
        tell(query_id, ("stage", {}))
        end(query_id)

    with beside(work):
        assert [event.type for event in read(api_url, query_id)] == ["stage", "final"]


def test_a_silent_query_sends_signs_of_life(
    api_url: str, query_id: uuid.UUID, monkeypatch: pytest.MonkeyPatch
) -> None:  # A3
    monkeypatch.setenv("CITEWELL_STREAM__HEARTBEAT_S", "0.05")
    settings.cache_clear()
    address = urlsplit(api_url)
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=20) as line:
        line.sendall(f"GET /v1/queries/{query_id}/events HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
        raw = b""
        while b": ping" not in raw:
            raw += line.recv(4096)
    end(query_id)


def test_the_stream_of_a_deleted_query_ends(api_url: str, query_id: uuid.UUID) -> None:
    def vanish() -> None:
        tell(query_id, ("stage", {"stage": "retrieving"}))
        with transaction() as session:
            session.delete(session.get_one(Query, query_id))
        notify_end(query_id)

    with httpx.stream("GET", f"{api_url}/v1/queries/{query_id}/events", timeout=20) as response, beside(vanish):
        # Without an error: a broken response would raise here.
        assert "event: final" not in response.read().decode()


def test_an_unknown_query_and_a_bad_id_are_problems(http: httpx.Client, query_id: uuid.UUID) -> None:
    assert_problem(http.get(f"/v1/queries/{uuid.uuid4()}/events"), 404, "query_not_found")
    bad = http.get(f"/v1/queries/{query_id}/events", headers={"Last-Event-ID": "abc"})
    assert_problem(bad, 422, "request_invalid")
