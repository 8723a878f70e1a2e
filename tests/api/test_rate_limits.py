"""The number of requests that a key may start per minute (A8)."""

import socket
from collections.abc import Generator

import httpx
import pytest

from config.settings import settings
from tests.api.problems import assert_problem
from tests.keys import bearer, make_key


@pytest.fixture
def silent_port() -> Generator[int]:
    """A port that accepts connections and never answers, like a hanging server."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def start(http: httpx.Client, key: str) -> httpx.Response:
    return http.post("/v1/quality", json={}, headers=bearer(key), timeout=5)


def test_a_key_may_start_so_many_requests_and_no_more(http: httpx.Client) -> None:  # A8
    key, other = make_key(requests_per_minute=2), make_key()
    first, second = start(http, key), start(http, key)
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.headers["ratelimit-policy"] == '"key";q=2;w=60'
    assert first.headers["ratelimit"].startswith('"key";r=1;t=')
    refused = start(http, key)
    assert "2 requests per minute" in assert_problem(refused, 429, "rate_limited")["detail"]
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert refused.headers["ratelimit"] == f'"key";r=0;t={refused.headers["retry-after"]}'
    # Looking and deleting go on, and others are not held up.
    assert http.get("/v1/queries", headers=bearer(key)).status_code == 200
    assert http.delete(f"/v1/keys/{'0' * 12}", headers=bearer(key)).status_code == 404
    assert start(http, other).headers["ratelimit-policy"] == '"key";q=600;w=60'


def test_without_a_key_there_is_no_limit(http: httpx.Client) -> None:  # A8
    assert "ratelimit" not in http.post("/v1/quality", json={}).headers


@pytest.mark.parametrize("listening", [True, False], ids=["hangs", "is gone"])
def test_when_the_broker_is_away_the_process_counts_alone(
    http: httpx.Client, silent_port: int, monkeypatch: pytest.MonkeyPatch, listening: bool
) -> None:  # A5, A8
    port = silent_port if listening else 1
    monkeypatch.setenv("CITEWELL_REDIS_URL", f"redis://127.0.0.1:{port}/0")
    settings.cache_clear()
    key = make_key(requests_per_minute=2)
    assert [start(http, key).status_code for _ in range(3)] == [200, 200, 429]
