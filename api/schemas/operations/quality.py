"""Quality metrics over the history as JSON."""

from datetime import date, datetime
from uuid import UUID

from pydantic import BaseModel, Field

from api.schemas.texts import Input, WorkspaceName
from services.quality.series import Bucket


class LabelWrite(Input):
    """A human verdict on one answer."""

    query_id: UUID = Field(strict=False, description="The question; JSON has no ids, only strings.")
    grounded: bool = Field(description="Whether the sources support everything in the answer.")


class QualityAsk(Input):
    """The answers to measure, and their labels."""

    workspace: WorkspaceName | None = None
    limit: int = Field(
        default=1000, ge=1, le=10_000, description="The number of questions to measure: the newest verified ones."
    )
    labels: list[LabelWrite] = Field(default=[], max_length=10_000)


class TargetRead(BaseModel):
    """The target value."""

    wanted: str = Field(examples=["below"])
    limit: float


class MetricRead(BaseModel):
    """One metric; `value` is null when there is nothing to divide by."""

    value: float | None
    count: int
    target: TargetRead | None
    met: bool | None
    copied: int = Field(
        description="The number of cases in `count` that come from answers copied without a model, for metrics of a "
        "writer's mistakes. A copy can neither invent statements nor cite a source that says otherwise: where all "
        "cases are copies, the value says nothing about answers that a model writes, and `met` is null."
    )


class QualityRead(BaseModel):
    """The metrics by name, and the number of questions measured."""

    queries: int
    metrics: dict[str, MetricRead]


class ValueRead(BaseModel):
    """One metric of one point; `value` is null when there is nothing to divide by."""

    value: float | None
    count: int


class PointRead(BaseModel):
    """One day or week."""

    start: date = Field(description="The first day of the point, in UTC.")
    queries: int = Field(description="The number of verified questions that were asked in that time.")
    metrics: dict[str, ValueRead]


class SeriesRead(BaseModel):
    """The metrics over time."""

    bucket: Bucket
    since: datetime
    queries: int
    truncated: bool = Field(description="True when only the newest 5,000 questions were measured.")
    points: list[PointRead] = Field(
        description="The points without a gap, oldest first; an empty point has `queries` 0."
    )
