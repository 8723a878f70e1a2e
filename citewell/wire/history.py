"""Everything that was done and checked for a question, and the metrics over many."""

from typing import Any, TypedDict

from citewell.wire.answers import Claim, Scores
from citewell.wire.queries import QueryHead


class CitationCheck(TypedDict):
    statement: str
    citation_number: int | None
    source_file: str | None
    source_page: int | None
    is_accurate: bool | None
    confidence: float | None
    explanation: str
    status: str


class Attempt(Scores):
    round: int
    kind: str
    answer: str
    claims: list[Claim]
    citation_checks: list[CitationCheck]
    created_at: str


class ModelCall(TypedDict):
    step: str
    item: str
    model: str
    prompt: str
    prompt_version: str
    attempt: int
    status: int | None
    error: str | None
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    duration_ms: float
    kept: bool
    unknown: bool


class Event(TypedDict):
    type: str
    data: dict[str, Any]
    at: str


class ParkedStep(TypedDict):
    """A step that crashed its worker too often and is not tried again."""

    round: int
    step: str
    item: str
    worker: str
    reason: str
    at: str


class History(QueryHead):
    verifications: list[Attempt]
    parked: list[ParkedStep]
    model_calls: list[ModelCall]
    events: list[Event]


class Metric(TypedDict):
    value: float | None
    count: int
    target: dict[str, Any] | None
    met: bool | None


class Quality(TypedDict):
    queries: int
    metrics: dict[str, Metric]
