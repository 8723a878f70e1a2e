"""The history at a glance, and quality metrics over it."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import AwareDatetime

from api.http.accepted_requests import require_json
from api.http.paging import After, next_cursor
from api.schemas.operations.quality import QualityAsk, QualityRead, SeriesRead
from api.schemas.questions.queries import OverviewList, QueryState
from api.schemas.texts import WorkspaceName
from db.models import QueryKind
from db.queries.runs.queries import QueryFilter
from services.quality.history import Label, read_quality
from services.quality.series import Bucket, read_series
from services.queries.overview import count_entries, read_overview

router = APIRouter(prefix="/v1/quality", tags=["quality"])


@router.get("", response_model=QualityRead)
def get_quality(
    workspace: Annotated[WorkspaceName | None, Query(description="Only questions to this workspace.")] = None,
    limit: Annotated[
        int, Query(ge=1, le=10_000, description="The number of questions to measure: the newest verified ones.")
    ] = 1000,
) -> object:
    """The metrics that need no labels; the others have no value here."""
    return read_quality(workspace, limit)


@router.post("", response_model=QualityRead, dependencies=[Depends(require_json)])
def rate_quality(asked: QualityAsk) -> object:
    """The metrics with labels: also how often confidence and answerability agree with people."""
    labels = [Label(label.query_id, label.grounded) for label in asked.labels]
    return read_quality(asked.workspace, asked.limit, labels)


@router.get("/series", name="get_quality_series", response_model=SeriesRead)
def get_series(
    workspace: Annotated[WorkspaceName | None, Query(description="Only questions to this workspace.")] = None,
    days: Annotated[int, Query(ge=1, le=366, description="The number of days, today included.")] = 30,
    bucket: Annotated[Bucket, Query(description="One point per day or per week, in UTC.")] = Bucket.DAY,
) -> object:
    """The metrics that need no labels, over time: each day or week by itself, oldest first."""
    return read_series(workspace, days, bucket, datetime.now(UTC))


history_router = APIRouter(prefix="/v1/history", tags=["quality"])


@history_router.get("", response_model=OverviewList)
def list_history(
    after: After,
    kind: Annotated[QueryKind, Query(description="Questions, or verifications.")] = QueryKind.ANSWER,
    workspace: Annotated[WorkspaceName | None, Query(description="Only entries of this workspace.")] = None,
    status: Annotated[QueryState | None, Query(description="Only entries in this state.")] = None,
    created_after: Annotated[
        AwareDatetime | None, Query(description="Only entries from this time on (RFC 3339).")
    ] = None,
    created_before: Annotated[AwareDatetime | None, Query(description="Only entries before this time.")] = None,
    text: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=200,
            description="Only entries whose question or `custom_id` contains this text, ignoring case.",
        ),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> object:
    """The entries of the history, newest first, each with its verdicts, its scores and its cost; `next_cursor` leads to
    the next page."""
    wanted = QueryFilter(workspace, status, created_after, created_before, kind, text)
    entries = read_overview(wanted, after=after, limit=limit)
    return {"entries": entries, "total": count_entries(wanted), "next_cursor": next_cursor(entries, limit)}
