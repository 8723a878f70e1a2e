"""Pages of other origins use the API from a browser only where `access.origins` names them (CORS)."""

import json
from collections.abc import Callable, Generator
from contextlib import ExitStack

import httpx
import pytest

from api.app import create_app
from config.settings import ConfigurationInvalid, settings
from tests.api.problems import assert_problem
from tests.keys import bearer, make_key
from tests.serving import serving

APP = "https://app.example.com"
Served = Callable[..., httpx.Client]
PREFLIGHT = {
    "Origin": APP,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
}


@pytest.fixture
def served(http: httpx.Client) -> Generator[Served]:
    """An API that was started with these origins."""
    assert http
    with ExitStack() as until_end:
        patched = until_end.enter_context(pytest.MonkeyPatch.context())

        def serve(*origins: str) -> httpx.Client:
            patched.setenv("CITEWELL_ACCESS__ORIGINS", json.dumps(origins))
            settings.cache_clear()
            url = until_end.enter_context(serving(create_app()))
            return until_end.enter_context(httpx.Client(base_url=url, timeout=30))

        yield serve
    settings.cache_clear()


def test_a_preflight_from_a_named_origin_is_answered(served: Served) -> None:
    http = served(APP, "http://localhost:5173")
    told = http.options("/v1/queries", headers=PREFLIGHT)
    assert told.status_code == 200
    assert told.headers["access-control-allow-origin"] == APP
    assert "POST" in told.headers["access-control-allow-methods"]
    sent = told.headers["access-control-allow-headers"].lower()
    assert all(name in sent for name in ("authorization", "content-type", "idempotency-key", "last-event-id"))
    assert "access-control-allow-credentials" not in told.headers
    assert "Origin" in told.headers["vary"]


@pytest.mark.parametrize(
    "origin", ["https://evil.example", f"{APP}.evil.example", f"{APP}:8443", "http://app.example.com", "null"]
)
def test_no_other_origin_is_told_anything(served: Served, origin: str) -> None:
    http = served(APP)
    refused = http.options("/v1/queries", headers={**PREFLIGHT, "Origin": origin})
    assert refused.status_code == 400
    assert "access-control-allow-origin" not in refused.headers
    read = http.get("/v1/queries", headers={**bearer(make_key()), "Origin": origin})
    assert "access-control-allow-origin" not in read.headers


def test_a_page_reads_with_a_key_and_sees_why_it_is_refused_without(served: Served) -> None:
    http = served(APP)
    key = bearer(make_key())
    read = http.get("/v1/queries", headers={**key, "Origin": APP})
    assert (read.status_code, read.headers["access-control-allow-origin"]) == (200, APP)
    assert "Location" in read.headers["access-control-expose-headers"]
    refused = http.get("/v1/queries", headers={"Origin": APP})
    assert_problem(refused, 403, "key_required_here")
    assert refused.headers["access-control-allow-origin"] == APP
    wrong = http.post("/v1/queries", json={"question": ""}, headers={**key, "Origin": APP})
    assert (wrong.status_code, wrong.headers["access-control-allow-origin"]) == (422, APP)
    large = http.post("/v1/queries", content=b"x" * 1_000_001, headers={**key, "Origin": APP})
    assert (large.status_code, large.headers["access-control-allow-origin"]) == (413, APP)


def test_all_origins_are_allowed_without_credentials(served: Served) -> None:
    http = served("*")
    told = http.options("/v1/queries", headers={**PREFLIGHT, "Origin": "https://anything.example"})
    assert told.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in told.headers
    cookie = http.get("/healthz", headers={"Origin": "https://anything.example", "Cookie": "a=b"})
    assert "access-control-allow-credentials" not in cookie.headers


def test_by_default_no_other_page_is_told_anything(http: httpx.Client) -> None:
    told = http.options("/v1/queries", headers=PREFLIGHT)
    assert not [name for name in told.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "origins",
    ['["https://a.example/"]', '["a.example"]', '["https://A.example"]', '["*", "https://a.example"]', '[""]'],
)
def test_what_no_browser_sends_is_no_origin(monkeypatch: pytest.MonkeyPatch, origins: list[str]) -> None:
    monkeypatch.setenv("CITEWELL_ACCESS__ORIGINS", json.dumps(origins))
    settings.cache_clear()
    with pytest.raises(ConfigurationInvalid, match=r"access\.origins"):
        settings()
    settings.cache_clear()
