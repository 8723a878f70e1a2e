"""The metrics over HTTP (S2.7, S3.7)."""

from typing import Any

import httpx
import pytest

from tests.api.problems import assert_problem
from verify_material.rows import for_all_rows

NOBODY = "00000000-0000-0000-0000-000000000000"


def test_the_metrics_of_an_empty_history_have_no_values(http: httpx.Client) -> None:  # S2.7
    told = http.get("/v1/quality").raise_for_status().json()
    assert told["queries"] == 0
    assert {(each["value"], each["count"], each["met"]) for each in told["metrics"].values()} == {(None, 0, None)}
    assert told["metrics"]["hallucination_rate"]["target"] == {"wanted": "below", "limit": 0.05}
    assert told["metrics"]["citation_accuracy"]["target"] is None


def test_the_metrics_are_read_without_labels(http: httpx.Client, query_id: str) -> None:  # S2.7, S3.7
    told = http.get("/v1/quality", params={"workspace": "w", "limit": 5}).raise_for_status().json()
    assert told["queries"] == 1
    assert told["metrics"]["hallucination_rate"] == {
        "value": 0.0,
        "count": 1,
        "target": {"wanted": "below", "limit": 0.05},
        "met": None,
        "copied": 1,
    }
    assert told["metrics"]["citation_accuracy"]["value"] == 1.0
    assert told["metrics"]["confidence_accuracy"]["value"] is None


def test_labels_add_what_people_say_and_change_nothing_else(http: httpx.Client, query_id: str) -> None:  # S2.7, S3.7
    told = http.get("/v1/quality").raise_for_status().json()
    labels = [{"query_id": query_id, "grounded": True}, {"query_id": NOBODY, "grounded": False}]
    rated = http.post("/v1/quality", json={"labels": labels}).raise_for_status().json()
    assert (rated["metrics"]["confidence_accuracy"]["value"], rated["metrics"]["confidence_accuracy"]["count"]) == (
        1,
        1,
    )
    unlabelled = [name for name in told["metrics"] if name != "confidence_accuracy"]
    assert all(rated["metrics"][name] == told["metrics"][name] for name in unlabelled)


def test_another_workspace_has_metrics_of_its_own(http: httpx.Client, query_id: str) -> None:  # S2.7
    assert query_id
    assert http.get("/v1/quality", params={"workspace": "elsewhere"}).json()["queries"] == 0
    assert http.post("/v1/quality", json={"workspace": "elsewhere"}).json()["queries"] == 0


@for_all_rows(
    ("body", "field"),
    [
        ({"labels": [{"query_id": "x", "grounded": True}]}, "labels.0.query_id"),
        ({"labels": [{"query_id": NOBODY}]}, "labels.0.grounded"),
        ({"labels": [{"query_id": NOBODY, "grounded": "yes"}]}, "labels.0.grounded"),
        ({"labels": [{"query_id": NOBODY, "grounded": None}]}, "labels.0.grounded"),
        ({"labels": [{"query_id": NOBODY, "grounded": True}, {"query_id": 5, "grounded": True}]}, "labels.1.query_id"),
        ({"labels": [{"query_id": NOBODY, "grounded": True, "by": "me"}]}, "labels.0.by"),
        ({"labels": {}}, "labels"),
        ({"limit": 0}, "limit"),
        ({"limit": 10_001}, "limit"),
        ({"workspace": "a\x00"}, "workspace"),
        ({"lables": []}, "lables"),
    ],
)
def test_a_request_that_cannot_be_used_is_named(http: httpx.Client, body: dict[str, Any], field: str) -> None:  # A8
    told = assert_problem(http.post("/v1/quality", json=body), 422, "request_invalid")
    assert field in str(told)


@pytest.mark.parametrize("params", [{"limit": 0}, {"limit": "many"}, {"workspace": "  "}])
def test_an_address_that_cannot_be_used_is_refused(http: httpx.Client, params: dict[str, Any]) -> None:  # A8
    assert_problem(http.get("/v1/quality", params=params), 422, "request_invalid")


def test_labels_are_sent_as_json(http: httpx.Client) -> None:  # A8
    assert http.post("/v1/quality", content=b"{}", headers={"content-type": "text/plain"}).status_code == 415


def test_the_metrics_are_told_over_time(http: httpx.Client, query_id: str) -> None:  # S2.7, S3.7
    assert query_id
    told = http.get("/v1/quality/series", params={"workspace": "w", "days": 3}).raise_for_status().json()
    assert (told["bucket"], told["queries"], told["truncated"]) == ("day", 1, False)
    assert [point["queries"] for point in told["points"]] == [0, 0, 1]
    assert told["points"][-1]["metrics"]["hallucination_rate"] == {"value": 0.0, "count": 1}
    assert told["points"][0]["metrics"]["hallucination_rate"] == {"value": None, "count": 0}
    weeks = http.get("/v1/quality/series", params={"days": 366, "bucket": "week"}).raise_for_status().json()
    assert 52 <= len(weeks["points"]) <= 54
    assert sum(point["queries"] for point in weeks["points"]) == 1


@pytest.mark.parametrize("params", [{"days": 0}, {"days": 367}, {"bucket": "hour"}, {"workspace": " "}])
def test_a_time_that_cannot_be_shown_is_refused(http: httpx.Client, params: dict[str, Any]) -> None:  # A8
    assert_problem(http.get("/v1/quality/series", params=params), 422, "request_invalid")
