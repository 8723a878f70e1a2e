"""Without a key the API answers its own page and programs, and no other page (A8)."""

from typing import Any

import httpx
import pytest

from tests.api.problems import assert_problem
from tests.keys import bearer, make_key
from verify_material.rows import for_all_rows

TEXT = {"filename": "a.md", "text": "Refunds are paid within 14 days."}
FORM: dict[str, Any] = {"files": {"file": ("a.md", b"Refunds are paid within 14 days.")}}
WRITES: list[dict[str, Any]] = [FORM, {"json": TEXT}, {"data": {"file": "x"}}, {"content": b"x"}]
PLAIN: dict[str, Any] = {"content": b"{}", "headers": {"Content-Type": "text/plain"}}


def own(http: httpx.Client) -> str:
    return str(http.base_url).rstrip("/")


def foreign(http: httpx.Client) -> list[dict[str, str]]:
    """The requests that browsers send for foreign pages, with and without the newer headers."""
    url = http.base_url
    origins = (
        f"http://127.0.0.1:{(url.port or 0) + 1}",
        "http://127.0.0.1",
        f"http://localhost:{url.port}",
        f"https://127.0.0.1:{url.port}",
        f"http://127.0.0.1:{url.port}.evil.example",
        f"http://127.0.0.1:{url.port}/",
        "http://evil.example",
        "null",
        "",
    )
    sites = ("cross-site", "same-site", "anything")
    return [*({"Origin": origin} for origin in origins), *({"Sec-Fetch-Site": site} for site in sites)]


def documents(http: httpx.Client) -> int:
    return len(http.get("/v1/documents").raise_for_status().json()["documents"])


def test_a_page_from_elsewhere_writes_and_reads_nothing(http: httpx.Client) -> None:  # F6
    for headers in foreign(http):
        for body in WRITES:
            told = assert_problem(http.post("/v1/documents", headers=headers, **body), 403, "key_required_here")
            assert "own page" in told["detail"]
        for path in ("/v1/documents", "/v1/queries", "/metrics"):
            assert_problem(http.get(path, headers=headers), 403, "key_required_here")
        assert_problem(http.delete("/v1/documents/0", headers=headers), 403, "key_required_here")
    assert documents(http) == 0


def test_two_origins_are_none_of_ours(http: httpx.Client) -> None:  # F6
    headers = [("Origin", own(http)), ("Origin", "http://evil.example")]
    assert_problem(http.get("/v1/documents", headers=headers), 403, "key_required_here")


def test_its_own_page_reads_and_writes(http: httpx.Client) -> None:  # F6
    page = {"Origin": own(http), "Sec-Fetch-Site": "same-origin"}
    assert http.post("/v1/documents", headers=page, **FORM).status_code == 202
    assert http.get("/v1/documents", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200
    # The person at the address bar looks; nothing is done there.
    assert http.get("/v1/documents", headers={"Sec-Fetch-Site": "none"}).status_code == 200
    typed = http.post("/v1/documents", headers={"Sec-Fetch-Site": "none"}, **FORM)
    assert_problem(typed, 403, "key_required_here")


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["curl/8.14.1", "python-httpx/0.28", "OpenAI/Python 2.1", ""])
def test_programs_need_no_origin(http: httpx.Client, agent: str) -> None:  # F6
    headers = {"User-Agent": agent}
    assert http.post("/v1/documents", headers=headers, **FORM).status_code in (200, 202)
    assert http.post("/v1/documents", headers=headers, json=TEXT).status_code in (200, 202)
    # A POST without a body has no type.
    assert_problem(http.post("/v1/queries/0/replay", headers=headers), 422, "request_invalid")


def test_a_browser_too_old_to_say_whose_page_it_shows_sends_only_what_it_has_to_ask_for(http: httpx.Client) -> None:
    # F6
    headers = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:60.0) Gecko/20100101 Firefox/60.0"}
    unasked: list[dict[str, Any]] = [FORM, {"data": {"file": "x"}}, PLAIN, {}]
    for body in unasked:
        merged: dict[str, Any] = {**body, "headers": {**headers, **body.get("headers", {})}}
        assert_problem(http.post("/v1/documents", **merged), 403, "key_required_here")
    assert documents(http) == 0
    assert http.post("/v1/documents", headers=headers, json=TEXT).status_code == 202


def test_a_key_says_who_it_is_from_wherever_it_is_sent(http: httpx.Client) -> None:  # F6
    key = bearer(make_key())
    assert all(http.get("/v1/documents", headers={**headers, **key}).is_success for headers in foreign(http))


POLICIES = ("content-security-policy", "x-frame-options", "x-content-type-options", "referrer-policy")


@pytest.mark.slow
@for_all_rows(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("GET", "/docs", 200),
        ("GET", "/redoc", 200),
        ("GET", "/docs/oauth2-redirect", 200),
        ("GET", "/docs-assets/swagger-ui.css", 200),
        ("HEAD", "/", 200),
        ("GET", "/openapi.json", 200),
        ("GET", "/healthz", 200),
        ("GET", "/v1/documents", 200),
        ("GET", "/v1/queries/0/events", 422),
        ("GET", "/nowhere", 404),
        ("PATCH", "/v1/documents", 405),
        ("OPTIONS", "/v1/documents", 204),
        ("POST", "/v1/queries", 415),
    ],
)
def test_every_response_brings_its_policies_and_no_name_of_a_server(
    http: httpx.Client, method: str, path: str, status: int
) -> None:  # F7
    answer = http.request(method, path)
    assert answer.status_code == status
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "frame-ancestors 'none'" in policy
    assert [answer.headers[name] for name in POLICIES[1:]] == ["DENY", "nosniff", "no-referrer"]
    assert "server" not in answer.headers
    assert all(len(answer.headers.get_list(name)) == 1 for name in POLICIES)


def test_errors_from_before_the_application_bring_them_too(http: httpx.Client) -> None:  # F7
    answer = http.post("/v1/queries", content=b"x" * 1_000_001)
    assert answer.status_code == 413
    assert all(name in answer.headers for name in POLICIES)
