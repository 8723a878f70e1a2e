"""The client: typed answers, problems as exceptions, patience where it is due."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints, is_typeddict

import pytest
from fastapi import FastAPI, Response

from api.app import create_app
from citewell import wire
from citewell.client import ApiProblem, CitewellClient, ServerUnreachable
from tests.serving import serving

Step = Callable[[], Response]


def scripted(*steps: Step) -> FastAPI:
    """An application that answers one request after another as scripted, the last step again and again."""
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


def test_the_stored_text_and_documents_can_be_read_and_deleted(api_url: str, database: str, tmp_path: Path) -> None:
    assert database
    path = tmp_path / "a.txt"
    path.write_text("hello")
    with CitewellClient(api_url) as client:
        sent = client.upload(path, filename="a.txt", workspace="w")
        assert [document["id"] for document in client.documents("w")] == [sent["id"]]
        with pytest.raises(ApiProblem) as caught:
            client.document_text(sent["id"])
        assert caught.value.code == "document_not_read"
        client.delete_document(sent["id"])
        assert client.documents("w") == []


def test_nobody_there_is_told_with_the_address() -> None:
    with (
        CitewellClient("http://127.0.0.1:1/") as client,
        pytest.raises(ServerUnreachable, match=r"http://127\.0\.0\.1:1 .*`citewell up`"),
    ):
        client.query("q")


def test_the_shapes_that_the_client_reads_are_those_of_the_api() -> None:
    models: dict[str, Any] = create_app().openapi()["components"]["schemas"]
    names = {
        "Accepted": "DocumentAccepted",
        "Failure": "QueryError",
        "Progress": "DocumentProgress",
        "EvidenceLocation": "EvidenceLocation",
        "Scores": "VerificationRead",
        "QueryHead": "QueryHead",
        "Attempt": "VerificationAttempt",
    }
    shapes = {name: shape for name, shape in vars(wire).items() if is_typeddict(shape)}
    assert len(shapes) > 12
    for name, shape in shapes.items():
        model = models[names.get(name, f"{name}Read")]
        assert get_type_hints(shape).keys() <= model["properties"].keys(), name
