"""The metrics over time: each day or week by itself, and days without questions (S2.7, S3.7)."""

import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from db.models import Query
from db.session import transaction
from services.quality.history import read_quality
from services.quality.series import Bucket, read_series
from tests.services.quality.test_quality_history import check_citations, reranked, verified

pytestmark = pytest.mark.usefixtures("database")

NOW = datetime(2026, 3, 12, 9, 30, tzinfo=UTC)  # a Thursday


def asked(day: int, hour: int = 12, *, workspace: str = "w") -> uuid.UUID:
    """Store an answered question of a day in March 2026 with one accurate citation."""
    query_id = verified(workspace=workspace)
    check_citations(query_id, "accurate")
    with transaction() as session:
        session.get_one(Query, query_id).created_at = datetime(2026, 3, day, hour, tzinfo=UTC)
    return query_id


def values(found: dict[str, Any], name: str) -> dict[str, Any]:
    return {point["start"][-2:]: point["metrics"][name]["value"] for point in found["points"]}


def test_every_day_is_a_point_also_an_empty_one() -> None:  # S2.7
    asked(9)
    asked(11, hour=0)
    asked(11, hour=23)
    found = read_series(None, 4, Bucket.DAY, NOW)
    assert [(point["start"], point["queries"]) for point in found["points"]] == [
        ("2026-03-09", 1),
        ("2026-03-10", 0),
        ("2026-03-11", 2),
        ("2026-03-12", 0),
    ]
    assert values(found, "mean_confidence") == {"09": 1.0, "10": None, "11": 1.0, "12": None}
    assert found["points"][2]["metrics"]["citation_accuracy"] == {"value": 1.0, "count": 2}
    assert (found["queries"], found["since"], found["truncated"]) == (3, "2026-03-09T00:00:00+00:00", False)


def test_a_week_begins_on_monday_and_is_whole() -> None:  # S2.7
    asked(1)  # a Sunday
    asked(2)
    asked(8)
    asked(9)
    found = read_series(None, 8, Bucket.WEEK, NOW)
    assert [(point["start"], point["queries"]) for point in found["points"]] == [("2026-03-02", 2), ("2026-03-09", 1)]


def test_a_day_has_its_own_numbers_and_all_days_together_those_of_the_whole() -> None:  # S3.7
    reranked(asked(10), {"1": 0.9, "2": 0.5}, [1])
    reranked(asked(11), {"1": 0.8, "2": 0.2, "3": 0.2}, [1])
    found = read_series(None, 30, Bucket.DAY, NOW)
    gains = {day: round(value, 6) for day, value in values(found, "rerank_score_gain").items() if value is not None}
    assert gains == {"10": 0.2, "11": 0.4}
    whole = read_quality(None, 10)["metrics"]
    assert {*found["points"][0]["metrics"]} == {*whole}
    for name, metric in whole.items():
        assert sum(point["metrics"][name]["count"] for point in found["points"]) == metric["count"], name


def test_only_the_workspace_and_the_time_that_are_asked_for() -> None:  # S2.7
    asked(5)
    asked(11)
    asked(11, workspace="other")
    assert read_series("w", 3, Bucket.DAY, NOW)["queries"] == 1
    assert read_series("nowhere", 3, Bucket.DAY, NOW)["queries"] == 0
    assert read_series(None, 366, Bucket.WEEK, NOW)["queries"] == 3


def test_a_long_history_is_cut_at_its_old_end() -> None:  # A3
    asked(9)
    asked(10)
    asked(11)
    found = read_series(None, 4, Bucket.DAY, NOW, most=2)
    assert [point["queries"] for point in found["points"]] == [0, 1, 1, 0]
    assert (found["queries"], found["truncated"]) == (2, True)
