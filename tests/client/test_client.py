"""The client: typed answers, problems as exceptions, retries where they are due."""

from collections.abc import Callable

import pytest
from fastapi import FastAPI, Response

from citewell_client import ApiProblem, CitewellClient, ServerUnreachable
from tests.serving import serving

Step = Callable[[], Response]


def scripted(*steps: Step) -> FastAPI:
    """An application that answers consecutive requests as scripted, repeating the last step."""
    app, left = FastAPI(), list(steps)

    @app.get("/v1/queries/{query_id}")
    def answer(query_id: str) -> Response:  # pyright: ignore[reportUnusedFunction] - it is a route
        assert query_id
        return left.pop(0)() if len(left) > 1 else left[0]()

    return app


def busy() -> Response:
    headers = {"retry-after": "0"}
    return Response('{"code": "database_unavailable", "detail": "away"}', 503, headers)


def done() -> Response:
    return Response('{"status": "succeeded"}', media_type="application/json")


def page() -> Response:
    return Response("<html>hello</html>", media_type="text/html")


def test_waiting_outlasts_a_database_that_is_away_for_a_moment() -> None:  # A5
    with serving(scripted(busy, busy, done)) as url, CitewellClient(url) as client:
        assert client.wait("q", 5)["status"] == "succeeded"


def test_waiting_for_a_server_that_stays_away_ends() -> None:
    def later() -> Response:
        return Response('{"code": "database_unavailable", "detail": "away"}', 503, {"retry-after": "9"})

    with serving(scripted(later)) as url, CitewellClient(url) as client, pytest.raises(ApiProblem) as caught:
        client.wait("q", 0.5)
    assert (caught.value.status, caught.value.code, caught.value.retry_after) == (503, "database_unavailable", 9)


@pytest.mark.parametrize("status", [200, 404, 502])
def test_a_server_that_is_not_citewell_is_told_apart(status: int) -> None:
    def answer() -> Response:
        response = page()
        response.status_code = status
        return response

    with serving(scripted(answer)) as url, CitewellClient(url) as client, pytest.raises(ApiProblem, match="Citewell"):
        client.query("q")


def test_nobody_there_is_told_with_the_address() -> None:
    with (
        CitewellClient("http://127.0.0.1:1/") as client,
        pytest.raises(ServerUnreachable, match=r"http://127\.0\.0\.1:1 .*`citewell up`"),
    ):
        client.query("q")
