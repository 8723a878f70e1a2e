"""Quality metrics over the history."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from api.http.uploads import require_json
from api.schemas.operations.quality import QualityAsk, QualityRead, SeriesRead
from api.schemas.texts import WorkspaceName
from services.quality.history import Label, read_quality
from services.quality.series import Bucket, read_series

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
