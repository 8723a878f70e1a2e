"""Postgres is frozen: every request is answered in time, and work continues when it is back."""

import os
import signal
import time
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import psutil
import pytest

from citewell.supervisor.home import Home
from citewell.supervisor.servers.postgres import data_folder
from config.settings import Settings
from tests.e2e.stack import Stack, offline_stack

pytestmark = [pytest.mark.drill, pytest.mark.xdist_group("frozen")]

# About five seconds, and what a busy machine adds.
BOUND_S = 10.0
TEXT = "Returns must be made within 30 days of the purchase date."
QUESTION = "Within how many days must returns be made?"
REQUESTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "readiness": ("GET", "/readyz", {}),
    "list": ("GET", "/v1/queries", {}),
    "question": ("POST", "/v1/queries", {"json": {"question": QUESTION, "workspace": "frozen"}}),
    "verification": ("POST", "/v1/verifications", {"json": {"answer": "Yes [1].", "sources": [{"text": TEXT}]}}),
    "search": ("POST", "/v1/search", {"json": {"query": QUESTION, "workspace": "frozen"}}),
    "upload": (
        "POST",
        "/v1/documents",
        {"files": {"file": ("b.md", b"# B\n\nText.")}, "data": {"workspace": "frozen"}},
    ),
    "webhook": ("POST", "/v1/webhooks", {"json": {"url": "https://example.com/hook", "events": ["query.succeeded"]}}),
    "completion": (
        "POST",
        "/v1/chat/completions",
        {"json": {"model": "frozen", "messages": [{"role": "user", "content": QUESTION}], "stream": True}},
    ),
}


@pytest.fixture(scope="module")
def stack() -> Generator[Stack]:
    with offline_stack() as stack:
        stack.add_text("policy.md", TEXT, workspace="frozen")
        yield stack


@contextmanager
def frozen() -> Generator[None]:
    """All processes of this stack's Postgres are stopped for the length of the block."""
    folder = data_folder(Home(Settings().home, None))
    main = psutil.Process(int((folder / "postmaster.pid").read_text().split()[0]))
    os.kill(main.pid, signal.SIGSTOP)
    stopped = [main, *main.children(recursive=True)]
    try:
        for process in stopped:
            process.send_signal(signal.SIGSTOP)
        yield
    finally:
        for process in reversed(stopped):
            if process.is_running():
                process.send_signal(signal.SIGCONT)


def until_ready(stack: Stack) -> None:
    deadline = time.monotonic() + BOUND_S
    while stack.http.get("/readyz").status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def all_timed(stack: Stack, names: Sequence[str]) -> list[tuple[float, httpx.Response]]:
    """These requests at the same time."""

    def ask(name: str) -> tuple[float, httpx.Response]:
        return timed(stack, name)

    with ThreadPoolExecutor(len(names)) as clients:
        return list(clients.map(ask, names))


def timed(stack: Stack, name: str, **headers: str) -> tuple[float, httpx.Response]:
    method, path, body = REQUESTS[name]
    began = time.monotonic()
    answer = stack.http.request(method, path, timeout=60, headers=headers, **body)
    return time.monotonic() - began, answer


def repeated(stack: Stack, name: str, **headers: str) -> httpx.Response:
    """The first answer that is no 503: a connection of the pool may still be one that hung in the freeze."""
    deadline = time.monotonic() + BOUND_S
    while (answer := timed(stack, name, **headers)[1]).status_code == 503:
        assert time.monotonic() < deadline, answer.text
        time.sleep(int(answer.headers["retry-after"]))
    return answer


def test_every_request_is_answered_with_503_within_seconds_also_on_open_connections(stack: Stack) -> None:  # A5, A7
    # So that each has a connection that was open before.
    all_timed(stack, ["list"] * 30)
    names = list(REQUESTS)
    with frozen():
        for _ in range(2):
            for name, (took_s, answer) in zip(names, all_timed(stack, names), strict=True):
                assert answer.status_code == 503, (name, answer.text)
                assert int(answer.headers["retry-after"]) >= 1, name
                assert took_s < BOUND_S, name
        assert stack.http.get("/healthz").status_code == 200
    until_ready(stack)
    assert stack.ask(QUESTION, workspace="frozen")["status"] == "succeeded"


def test_a_request_repeated_with_its_key_after_a_freeze_is_done_once(stack: Stack) -> None:  # A3
    until_ready(stack)
    before = stack.http.get("/v1/queries", params={"workspace": "frozen"}).json()
    with frozen():
        _, refused = timed(stack, "question", **{"Idempotency-Key": "frozen-1"})
        assert refused.status_code == 503
    until_ready(stack)
    ids = {repeated(stack, "question", **{"Idempotency-Key": "frozen-1"}).json()["id"] for _ in range(3)}
    assert len(ids) == 1
    after = stack.http.get("/v1/queries", params={"workspace": "frozen"}).json()
    assert len(after["queries"]) == len(before["queries"]) + 1


def test_many_requests_at_once_are_all_answered_within_seconds(stack: Stack) -> None:  # A7
    with frozen():
        answers = all_timed(stack, ["question", "list", "search", "readiness"] * 20)
    assert {answer.status_code for _, answer in answers} == {503}
    assert max(took_s for took_s, _ in answers) < BOUND_S
