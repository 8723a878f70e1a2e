"""The form that every refusal must have."""

from typing import Any

import httpx


def assert_problem(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Assert that the response is a complete problem (RFC 9457) of this kind; return it."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    told = response.json()
    assert {"type", "title", "status", "detail", "instance", "code"} <= told.keys()
    assert (told["status"], told["code"]) == (status, code)
    assert told["type"].endswith(code)
    assert told["instance"] == response.request.url.path
    assert len(told["detail"]) > 10
    assert "Traceback" not in response.text
    return told
