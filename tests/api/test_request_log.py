"""The access log, and the handling of unexpected errors."""

from collections.abc import Sequence

import httpx
import pytest
import structlog
from structlog.typing import EventDict

from tests.api.problems import assert_problem
from tests.api.test_health import use, without_schema
from tests.waiting import until

SECRET = "our revenue fell by half"


def lines_of(lines: Sequence[EventDict], *responses: httpx.Response) -> list[EventDict]:
    """The log lines of these requests only, in order; a line may be written after the next one's."""
    ids = [response.headers["x-request-id"] for response in responses]

    def own() -> list[EventDict]:
        return [line for line in list(lines) if line.get("request_id") in ids]

    # The line of a request is written just after its response was sent.
    until(lambda: sum(line["event"] == "request" for line in own()) >= len(ids), seconds=30)
    return sorted(own(), key=lambda line: ids.index(line["request_id"]))


def test_every_request_is_one_line_with_its_id_and_without_its_content(http: httpx.Client) -> None:  # A8, A9
    with structlog.testing.capture_logs([structlog.contextvars.merge_contextvars]) as lines:
        responses = [
            http.post("/v1/documents", files={"file": ("a.txt", SECRET.encode())}, data={"workspace": "w"}),
            http.post("/v1/queries", json={"question": SECRET, "workspace": "w"}),
            http.get("/v1/queries", params={"workspace": SECRET}),
            http.get("/nowhere"),
        ]
        requests = [line for line in lines_of(lines, *responses) if line["event"] == "request"]
    assert [(line["method"], line["path"], line["status"]) for line in requests] == [
        ("POST", "/v1/documents", 202),
        ("POST", "/v1/queries", 202),
        ("GET", "/v1/queries", 200),
        ("GET", "/nowhere", 404),
    ]
    assert [line["request_id"] for line in requests] == [response.headers["x-request-id"] for response in responses]
    assert all(line["ms"] > 0 for line in requests)
    assert SECRET not in str(lines)


def test_health_checks_do_not_fill_the_log(http: httpx.Client) -> None:
    with structlog.testing.capture_logs([structlog.contextvars.merge_contextvars]) as lines:
        told = lines_of(lines, http.get("/healthz"), http.get("/readyz"))
    assert {line["log_level"] for line in told} == {"debug"}


def test_an_unforeseen_error_shows_an_id_and_no_insides(
    http: httpx.Client, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # A8
    with (
        monkeypatch.context() as elsewhere,
        structlog.testing.capture_logs([structlog.contextvars.merge_contextvars]) as lines,
    ):
        use(elsewhere, "CITEWELL_DATABASE_URL", without_schema(database))
        response = http.get("/v1/queries", params={"workspace": SECRET})
        unexpected, request = lines_of(lines, response)
    use(monkeypatch, "CITEWELL_DATABASE_URL", database)
    told = assert_problem(response, 500, "internal_error")
    assert told["error_id"] in told["detail"]
    assert "queries" not in told["detail"]
    assert (unexpected["event"], unexpected["error"]) == ("unexpected_error", "ProgrammingError")
    assert unexpected["request_id"] == told["error_id"] == response.headers["x-request-id"]
    assert any("db/queries/runs/queries.py" in frame for frame in unexpected["frames"])
    assert request["status"] == 500
    assert SECRET not in str(lines)
