"""The verification history on the wire: every attempt, check, model call and event of a query."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field, JsonValue

from api.schemas.answers import ClaimRead, FactRead, Score, Scores, SentenceRead
from api.schemas.queries import QueryHead


class CitationCheckRead(BaseModel):
    """One (statement, number) pair of the original answer, held against the source that it cites."""

    item: str
    statement: str
    citation_number: int | None = Field(description="Null when the statement cites nothing.")
    chunk_id: str | None
    source_file: str | None
    source_page: int | None
    is_accurate: bool | None
    relation: str | None
    confidence: Score | None
    explanation: str
    evidence: str | None = Field(description="The words of the source that decided.")
    decided_by: str | None = Field(description="`model`, or `evidence` when the source itself overruled the model.")
    status: str


class VerificationAttempt(Scores):
    """One verification of one answer; rows are appended and never changed."""

    id: int
    round: int
    kind: str = Field(description="`attempt`: the draft of a round; `published`: the answer that users see.")
    verifier: str | None
    answer: str
    sentences: list[SentenceRead]
    claims: list[ClaimRead]
    facts: list[FactRead]
    citation_checks: list[CitationCheckRead]
    created_at: datetime


class StepRead(BaseModel):
    """What a step of the pipeline left behind."""

    round: int
    step: str
    item: str
    outcome: dict[str, Any]


class ModelCallRead(BaseModel):
    """One call to a model as the provider bills it, failed attempts included."""

    id: int
    round: int
    step: str
    item: str
    provider: str
    model: str
    prompt: str
    prompt_version: str
    attempt: int
    status: int | None = Field(description="The HTTP status of the reply; null when there was none.")
    error: str | None
    finish_reason: str | None
    request_id: str | None
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    estimated: bool = Field(description="True when the server told no usage and the tokens are an estimate.")
    cost_usd: float
    duration_ms: float
    reply_text: str | None
    created_at: datetime


class EventRead(BaseModel):
    """A milestone."""

    id: int
    type: str
    data: dict[str, JsonValue]
    at: datetime


class HistoryRead(QueryHead):
    """Everything that was checked, asked and decided, in order."""

    verifications: list[VerificationAttempt]
    steps: list[StepRead]
    model_calls: list[ModelCallRead]
    events: list[EventRead]
