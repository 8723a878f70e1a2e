"""A query parameter that an operation does not have is refused: a misspelled filter would list everything."""

import httpx
import pytest

from tests.api.problems import assert_problem


@pytest.mark.parametrize(
    ("path", "field", "advice"),
    [
        ("/v1/queries?statsu=failed", "statsu", "did you mean `status`?"),
        ("/v1/queries?status=failed&workspce=w", "workspce", "did you mean `workspace`?"),
        ("/v1/documents?file_name=a.md", "file_name", "did you mean `filename`?"),
        ("/v1/webhooks?zzz=1", "zzz", "takes none"),
        ("/v1/quality?zzz=1", "zzz", "which takes `workspace`, `limit`"),
    ],
)
def test_an_unknown_parameter_is_named_with_the_likely_one(
    http: httpx.Client, path: str, field: str, advice: str
) -> None:
    told = assert_problem(http.get(path), 422, "request_invalid")
    (error,) = told["errors"]
    assert error["field"] == field
    assert advice in error["message"]


def test_a_request_that_would_change_something_is_refused_as_well(http: httpx.Client) -> None:
    sent = {"filename": "a.md", "text": "Refunds are paid within 14 days."}
    stored = http.post("/v1/documents", json=sent).raise_for_status().json()["id"]
    assert_problem(http.delete(f"/v1/documents/{stored}?all_version=true"), 422, "request_invalid")
    assert http.get(f"/v1/documents/{stored}").status_code == 200


def test_known_parameters_and_any_metadata_pass(http: httpx.Client) -> None:
    assert http.get("/v1/documents?metadata.year=2026&versions=all&limit=5").status_code == 200
    assert http.get("/v1/queries?status=failed&limit=5").status_code == 200
    assert_problem(http.get("/v1/queries?metadata.year=2026"), 422, "request_invalid")


def test_what_openais_clients_add_is_let_through(http: httpx.Client) -> None:  # N9
    assert http.get("/v1/models?api-version=2026-01-01").status_code == 200
