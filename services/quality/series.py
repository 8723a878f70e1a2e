"""The metrics of services.quality.history over time, for each day or week by itself."""

import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any, TypeVar

from db.queries.reports import quality as rows
from db.session import reading
from services.quality.history import Rows, metrics, read_rows

Row = TypeVar("Row")

MOST_QUERIES = 5_000
"""The most questions that are measured; a longer history is cut at its old end, and the result says so."""


class Bucket(StrEnum):
    """The length of one point; days are those of UTC, weeks begin on Monday."""

    DAY = "day"
    WEEK = "week"

    def start_of(self, day: date) -> date:
        return day if self is Bucket.DAY else day - timedelta(days=day.weekday())

    @property
    def days(self) -> int:
        return 1 if self is Bucket.DAY else 7


def read_series(
    workspace: str | None, days: int, bucket: Bucket, now: datetime, most: int = MOST_QUERIES
) -> dict[str, Any]:
    """Return the metrics of each bucket of the last `days` days, oldest first; buckets without queries are included."""
    first = bucket.start_of(now.date() - timedelta(days=days - 1))
    since = datetime.combine(first, datetime.min.time(), UTC)
    with reading() as session:
        queries = rows.newest_queries(session, workspace, most + 1, since)
        truncated = len(queries) > most
        starts = {query: bucket.start_of(at.astimezone(UTC).date()) for query, at in list(queries.items())[:most]}
        split = _split(read_rows(session, starts), starts)
    counts = Counter(starts.values())
    points: list[dict[str, Any]] = []
    for passed in range(0, (now.date() - first).days + 1, bucket.days):
        start = first + timedelta(days=passed)
        values = {
            name: {"value": metric.value, "count": metric.count} for name, metric in metrics(split[start]).items()
        }
        points.append({"start": start.isoformat(), "queries": counts[start], "metrics": values})
    return {
        "bucket": bucket,
        "since": since.isoformat(),
        "queries": len(starts),
        "truncated": truncated,
        "points": points,
    }


def _split(stored: Rows, starts: Mapping[uuid.UUID, date]) -> Mapping[date, Rows]:
    of_verification = {row.verification_id: starts[row.query_id] for row in stored.verified}
    split: dict[date, Rows] = defaultdict(lambda: Rows([], [], [], [], []))

    def share(all_rows: Iterable[Row], start_of: Callable[[Row], date], part: Callable[[Rows], list[Row]]) -> None:
        for row in all_rows:
            part(split[start_of(row)]).append(row)

    share(stored.verified, lambda row: starts[row.query_id], lambda part: part.verified)
    share(stored.rerankings, lambda row: starts[row[0]], lambda part: part.rerankings)
    share(stored.states, lambda row: of_verification[row[0]], lambda part: part.states)
    share(stored.cited, lambda row: of_verification[row[0]], lambda part: part.cited)
    share(stored.citation_states, lambda row: of_verification[row[0]], lambda part: part.citation_states)
    return split
