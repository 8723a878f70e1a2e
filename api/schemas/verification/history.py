"""The verification history as JSON: every attempt, check, model call and event of a query."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field, JsonValue

from api.schemas.questions.answers import ClaimRead, FactRead, Scores, SentenceRead
from api.schemas.questions.evidence import Corrected, Figure, RecognisedConfidence, Score
from api.schemas.questions.queries import QueryHead
from api.schemas.verification.comparisons import Reverified


class LookRead(BaseModel):
    """The answer that a judge gave at one of its two looks at a statement."""

    is_accurate: bool
    relation: str
    confidence: Score
    explanation: str


class SecondLookRead(BaseModel):
    """The reason why a judge was asked twice about a statement that it had called supported, and both its answers."""

    noticed: str = Field(description="The difference that the rules noticed and the judge was asked about.")
    place: str = Field(description="The words of the source beside which the rules noticed it; may be empty.")
    first: LookRead = Field(description="The answer in which the rules noticed it.")
    second: LookRead | None = Field(description="The answer that decides; null when there was no second answer.")
    reason: str = Field(description="Why there was no second answer; empty otherwise.")


class CitationCheckRead(BaseModel):
    """One (statement, number) pair of the original answer, checked against the cited source."""

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
    second_look: SecondLookRead | None = Field(description="Null when the judge was asked once.")
    status: str
    recognised_confidence: RecognisedConfidence = None
    figure: Figure = None
    corrected: Corrected = False


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


class ParkedRead(BaseModel):
    """An item of a step that crashed every worker that tried it; `worker` is the last of those workers."""

    round: int
    step: str
    item: str
    worker: str
    reason: str
    at: datetime


class StepRead(BaseModel):
    """The outcome of a step of the pipeline."""

    round: int
    step: str
    item: str
    outcome: dict[str, Any]


class ModelCallRead(BaseModel):
    """One call to a model as the provider bills it, failed attempts included; or a reused reply, which costs
    nothing."""

    id: int
    round: int
    step: str
    item: str
    provider: str
    model: str
    prompt: str
    prompt_version: str
    prompt_sha256: str | None = Field(description="The hash of the whole prompt; null where it is not known.")
    attempt: int
    status: int | None = Field(description="The HTTP status of the reply; null when there was none.")
    error: str | None
    finish_reason: str | None
    request_id: str | None
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    estimated: bool = Field(description="True when the server reported no usage and the tokens are an estimate.")
    cost_usd: float
    duration_ms: float
    reply_text: str | None
    kept: bool = Field(
        description="True when no call was made, because the stored reply to an identical prompt was used."
    )
    hedged: bool = Field(description="True for a second call that was sent because the first was late.")
    unknown: bool = Field(
        description="True when the process that made the call was killed: it is not known whether the call was made "
        "and how it ended, and tokens and cost are the most that it may have taken."
    )
    created_at: datetime


class EventRead(BaseModel):
    """A milestone of the query."""

    id: int
    type: str
    data: dict[str, JsonValue]
    at: datetime


class HistoryRead(QueryHead):
    """Everything that was checked, asked and decided, in order."""

    verifications: list[VerificationAttempt]
    parked: list[ParkedRead] = Field(description="Items that broke their worker too often and are not tried again.")
    reverifications: list[Reverified] = Field(description="Later verifications of the same answer.")
    steps: list[StepRead]
    model_calls: list[ModelCallRead]
    events: list[EventRead]
