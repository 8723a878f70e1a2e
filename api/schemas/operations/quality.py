"""The metrics of the history on the wire."""

from datetime import date, datetime
from uuid import UUID

from pydantic import BaseModel, Field

from api.schemas.texts import Input, WorkspaceName
from services.quality.series import Bucket


class LabelWrite(Input):
    """A human verdict on one answer."""

    query_id: UUID = Field(strict=False, description="JSON has no ids, only texts.")
    grounded: bool = Field(description="Whether everything in the answer is in its sources.")


class QualityAsk(Input):
    """The answers to measure, and their labels."""

    workspace: WorkspaceName | None = None
    limit: int = Field(default=1000, ge=1, le=10_000, description="The newest so many verified questions.")
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
        description="How many of `count` come from answers that were copied without a model, for metrics of what a "
        "writer may get wrong. Who copies can neither invent nor cite what says otherwise: where all are copies the "
        "value says nothing of answers that a model writes, and `met` is null."
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

    start: date = Field(description="Its first day, in UTC.")
    queries: int = Field(description="Verified questions that were asked in it.")
    metrics: dict[str, ValueRead]


class SeriesRead(BaseModel):
    """The metrics over time."""

    bucket: Bucket
    since: datetime
    queries: int
    truncated: bool = Field(description="True when only the newest 5,000 questions were looked at.")
    points: list[PointRead] = Field(description="Without a gap, the oldest first; an empty one has `queries` 0.")
