"""Requests that do not arrive: each is ended within a time limit, and blocks no other (F8). Real sockets."""

import socket
import time
from collections.abc import Generator

import httpx
import pytest
from fastapi import FastAPI

from api import patience
from tests.serving import serving
from tests.sockets import connected_to, told

pytestmark = pytest.mark.slow

WITHIN_S = 1.0
HEAD = b"POST /v1/queries HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n"
WHOLE = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.fixture(autouse=True)
def impatient(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """A limit that a test can wait for."""
    assert http
    with monkeypatch.context() as changed:
        for name, value in (("HEAD_S", WITHIN_S), ("BODY_S", WITHIN_S), ("BODY_BYTES_PER_S", 100)):
            changed.setattr(patience, name, value)
        yield


def connected(http: httpx.Client) -> socket.socket:
    return connected_to(str(http.base_url))


@pytest.mark.parametrize(
    "sent",
    [
        WHOLE[:20],  # half a head
        HEAD + b'{"quest',  # half a body
        HEAD,  # none of it
        WHOLE + HEAD + b"{",  # after a whole request, in the same packet
    ],
)
def test_half_a_request_is_answered_with_a_timeout(http: httpx.Client, sent: bytes) -> None:  # F8
    with connected(http) as connection:
        connection.sendall(sent)
        got = told(connection)
    answer = got[got.rindex(b"HTTP/1.1 ") :]
    assert answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    head, _, body = answer.lower().partition(b"\r\n\r\n")
    assert all(part in head for part in (b"application/problem+json", b"nosniff", b"frame-ancestors", b"close"))
    assert b"request_timeout" in body


@pytest.mark.parametrize("begin", [b"GET /healthz HTTP/1.1\r\nX-Slow: ", HEAD, HEAD.replace(b"20", b"2000")])
def test_a_byte_now_and_then_does_not_keep_it_open(http: httpx.Client, begin: bytes) -> None:  # F8
    with connected(http) as connection:
        connection.sendall(begin)
        connection.settimeout(WITHIN_S / 10)
        got, drips = b"", 0
        while not got and drips < 300:
            connection.sendall(b"1")
            drips += 1
            try:
                got = connection.recv(65_536)
            except TimeoutError:
                continue
    assert got.startswith(b"HTTP/1.1 408 ")


def test_a_connection_that_says_nothing_is_closed_without_a_word(http: httpx.Client) -> None:  # F8
    with connected(http) as connection:
        assert told(connection) == b""


def test_a_body_refused_early_does_not_drip_on(http: httpx.Client) -> None:  # F8
    with connected(http) as connection:
        connection.sendall(b"POST /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 900\r\n\r\n")
        got = told(connection)
    assert got.startswith(b"HTTP/1.1 404 ")


def test_what_arrives_steadily_has_the_time_it_needs(http: httpx.Client) -> None:  # F8
    body = b'{"filename": "a.md", "text": "' + b"a" * 1_000 + b'"}'
    with connected(http) as connection:
        connection.sendall(HEAD.replace(b"20", str(len(body)).encode()).replace(b"queries", b"documents"))
        began = time.monotonic()
        for at in range(0, len(body), 60):
            connection.sendall(body[at : at + 60])
            time.sleep(WITHIN_S / 8)
        assert time.monotonic() - began > 2 * WITHIN_S
        assert b" 202 " in connection.recv(65_536).partition(b"\r\n")[0]


def test_what_is_no_http_gets_a_problem(http: httpx.Client) -> None:  # F7
    with connected(http) as connection:
        connection.sendall(b"\x16\x03\x01 nonsense\r\n\r\n")
        got = told(connection).lower()
    assert got.startswith(b"http/1.1 400 ")
    assert b"application/problem+json" in got
    assert b"nosniff" in got


def test_hundreds_of_half_requests_hold_up_nobody_and_end(http: httpx.Client) -> None:  # F8
    halves = [connected(http) for _ in range(400)]
    try:
        for number, half in enumerate(halves):
            half.sendall(HEAD if number % 2 else WHOLE[:20])
        assert http.get("/healthz").status_code == 200
        assert all(told(half).startswith(b"HTTP/1.1 408 ") for half in halves)
    finally:
        for half in halves:
            half.close()


def test_a_connection_is_kept_for_as_long_as_is_set(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:  # F8
    """Clients must close idle connections before the server does; uvicorn and httpx both default to 5 s."""
    with serving(FastAPI(), timeout_keep_alive=1) as url, connected_to(url) as connection:
        for _ in range(2):
            connection.sendall(WHOLE)
            got = b""
            while not got.endswith(b"}"):
                part = connection.recv(65_536)
                assert part, "the connection was closed"
                got += part
            assert got.startswith(b"HTTP/1.1")
            time.sleep(1.5)
    monkeypatch.setattr(patience, "IDLE_S", 1)
    with serving(FastAPI(), timeout_keep_alive=75) as url, connected_to(url) as connection:
        connection.sendall(WHOLE)
        assert told(connection).startswith(b"HTTP/1.1")
