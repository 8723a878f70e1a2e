"""The history at a glance on the wire."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from api.schemas.questions.evidence import SignalRead
from api.schemas.questions.queries import Provider, QueryError, QueryState

Kind = Literal["answer", "verification"]


class OverviewRow(BaseModel):
    """One question or verification with its results; values that do not exist, or not yet, are null."""

    id: UUID
    kind: Kind = Field(description="`answer`: a question; `verification`: a given answer.")
    status: QueryState
    stage: str
    workspace: str
    question: str | None
    custom_id: str | None = Field(description="The submitter's own id of a verification.")
    excerpt: str | None = Field(description="The first 200 characters of the text that was verified.")
    provider: Provider
    error: QueryError | None
    sentences: dict[str, int] = Field(
        description="How many of its sentences are in which state: those of the answer that users see, or of the text "
        "as it was given.",
        examples=[{"supported": 4, "unsupported": 1}],
    )
    signal: SignalRead | None
    confidence: float | None = Field(description="The `verification.confidence` of the result.")
    confidence_level: str | None = Field(examples=["High"])
    accuracy_rate: float | None = Field(description="Accurate citations over those that were checked.")
    is_grounded: bool | None
    attempts: int | None = Field(description="Corrective rounds.")
    abstained: bool | None
    removed_citations: int | None = Field(description="How many citations were taken out.")
    llm_calls: int
    cost_usd: float
    created_at: datetime
    finished_at: datetime | None


class OverviewList(BaseModel):
    """One page, newest first."""

    entries: list[OverviewRow]
    total: int = Field(description="How many entries all pages have together; 10,000 stands for as many or more.")
    next_cursor: str | None = Field(description="`cursor` of the next page; null on the last one.")
