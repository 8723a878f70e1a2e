"""The shapes of the HTTP API's JSON that the client and the command line read; /docs describes every field."""

from typing import Any, Literal, NotRequired, TypedDict

Metadata = dict[str, Any]
FINAL = frozenset({"succeeded", "failed", "cancelled"})


class Failure(TypedDict):
    code: str
    message: str


class Accepted(TypedDict):
    id: str
    status: str
    created: NotRequired[bool]


class Progress(TypedDict):
    chunks_done: int
    chunks_total: int | None


class Document(TypedDict):
    id: str
    doc_id: str
    workspace: str
    filename: str
    source: str
    metadata: Metadata
    size_bytes: int
    status: Literal["queued", "processing", "ready", "failed"]
    stage: str
    progress: Progress
    pages: int
    error: Failure | None
    created_at: str
    ready_at: str | None


class QueryHead(TypedDict):
    id: str
    status: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    stage: str
    workspace: str
    question: str
    mode: str
    provider: str
    error: Failure | None
    created_at: str
    finished_at: str | None


class Citation(TypedDict):
    number: int
    document_name: str
    page_number: int | None
    section: str | None
    text_span: str
    citation_type: str
    confidence_score: float
    status: Literal["accurate", "inaccurate", "uncertain"]
    explanation: str


class EvidenceLocation(TypedDict):
    document_name: str
    page_number: int | None
    section: str | None


class Sentence(TypedDict):
    text: str
    status: str
    reason: str
    evidence: str | None
    source: EvidenceLocation | None


class Claim(TypedDict):
    claim: str
    status: str
    evidence: str | None
    source: EvidenceLocation | None
    reasoning: str


class Scores(TypedDict):
    overall_score: float | None
    answer_source_alignment: float | None
    citation_coverage: float | None
    fact_verification_score: float | None
    issues: list[str]
    confidence: float | None
    confidence_level: str | None
    draft_confidence: float | None
    calibrated_confidence: float | None
    is_grounded: bool | None
    claims_checked: int
    claims_supported: int
    accuracy_rate: float | None
    checks: dict[str, Any]
    sentences: list[Sentence]


class Usage(TypedDict):
    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


class Query(QueryHead):
    answer: str | None
    original_answer: str | None
    abstained: bool | None
    abstain_reason: str | None
    references: list[str]
    citations: list[Citation]
    removed_citations: list[int]
    verification: Scores | None
    usage: Usage
    timings: dict[str, float | None]


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


class Event(TypedDict):
    type: str
    data: dict[str, Any]
    at: str


class History(QueryHead):
    verifications: list[Attempt]
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
