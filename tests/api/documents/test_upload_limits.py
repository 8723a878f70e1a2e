"""An upload that is too large is refused by its declared length and by what really arrives (A8)."""

import socket
from collections.abc import Generator, Iterator
from urllib.parse import urlsplit

import httpx
import pytest

from api.app import create_app
from config.settings import settings
from tests.api.problems import assert_problem
from tests.keys import make_key
from tests.serving import serving

LIMIT = 10_000
VERIFICATIONS = "/v1/verifications"


@pytest.fixture
def http(database: str, monkeypatch: pytest.MonkeyPatch) -> Generator[httpx.Client]:
    assert database
    monkeypatch.setenv("CITEWELL_INGESTION__MAX_BYTES", str(LIMIT))
    settings.cache_clear()
    with serving(create_app()) as url, httpx.Client(base_url=url) as client:
        yield client


def test_a_file_of_exactly_the_limit_is_accepted(http: httpx.Client) -> None:
    assert http.post("/v1/documents", files={"file": ("a.txt", b"x" * LIMIT)}).status_code == 202


def test_a_file_over_the_limit_is_refused_with_both_numbers(http: httpx.Client) -> None:
    response = http.post("/v1/documents", files={"file": ("a.txt", b"x" * (LIMIT + 1))})
    detail = assert_problem(response, 413, "document_too_large")["detail"]
    assert "10,001" in detail
    assert "10,000" in detail


def test_a_body_that_declares_too_much_is_refused(http: httpx.Client) -> None:
    response = http.post("/v1/documents", files={"file": ("a.txt", b"x" * 10 * LIMIT)})
    assert_problem(response, 413, "content_too_large")


def test_a_body_without_a_length_is_counted_and_cut_off(http: httpx.Client) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(1000):
            yield b"x" * 10_000

    headers = {"content-type": "application/json"}
    assert_problem(http.post("/v1/documents", content=chunks(), headers=headers), 413, "content_too_large")
    head = b'--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'
    form = {"content-type": "multipart/form-data; boundary=x"}
    assert_problem(
        http.post("/v1/documents", content=(part for part in (head, *chunks())), headers=form), 413, "content_too_large"
    )
    assert http.get("/v1/documents").json() == {"documents": [], "next_cursor": None, "total": 0}


def answered_after(http: httpx.Client, path: str, declared: int, sent: int) -> str:
    """The response to a body of which only the beginning was sent."""
    at = urlsplit(str(http.base_url))
    head = f"POST {path} HTTP/1.1\r\nHost: {at.netloc}\r\nContent-Type: application/json\r\nContent-Length: {declared}"
    with socket.create_connection((at.hostname or "", at.port or 0), timeout=5) as connection:
        connection.sendall(f"{head}\r\n\r\n".encode() + b" " * sent)
        return connection.recv(65_536).decode()


def test_of_a_body_that_declares_too_much_little_is_read(http: httpx.Client) -> None:  # A8
    too_much = settings().verifying.batch_max_bytes + 1
    assert answered_after(http, f"{VERIFICATIONS}/batches", too_much, sent=1_000_000).startswith("HTTP/1.1 413")


@pytest.fixture
def required(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> httpx.Client:
    monkeypatch.setenv("CITEWELL_API_HOST", "0.0.0.0")  # noqa: S104 - told, not bound
    settings.cache_clear()
    return http


@pytest.mark.parametrize("declared", [True, False])
def test_a_stranger_cannot_send_a_large_body(required: httpx.Client, declared: bool) -> None:  # A8
    def send(size: int, **headers: str) -> httpx.Response:
        body = b" " * size
        kind = {"content-type": "application/json"}
        return required.post(VERIFICATIONS, content=body if declared else iter([body]), headers=kind | headers)

    refused = send(1_000_001)
    assert_problem(refused, 401, "key_required")
    assert refused.headers["www-authenticate"] == "Bearer"
    assert_problem(send(1_000_001, **{"X-API-Key": make_key()}), 400, "json_invalid")


def test_of_a_strangers_large_body_little_is_read(required: httpx.Client) -> None:  # A8
    assert answered_after(required, VERIFICATIONS, settings().verifying.max_bytes, sent=1_000_000).startswith(
        "HTTP/1.1 401"
    )
