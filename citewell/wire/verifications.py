"""External answers, and the results of their verification. Offsets are code points of the answer, half-open."""

from typing import Any, Literal, NotRequired, TypedDict

from citewell.wire.answers import Scores, Usage
from citewell.wire.audits import AuditHead, Comparison
from citewell.wire.common import Failure, LeftOut, Metadata


class SourceText(TypedDict):
    """A source that comes with the request; `pages` are [number, start, end] of each page of the text."""

    text: str
    id: NotRequired[str]
    title: NotRequired[str]
    url: NotRequired[str]
    metadata: NotRequired[Metadata]
    pages: NotRequired[list[list[int]]]


class SourceDocument(TypedDict):
    """A source that was uploaded before."""

    document_id: str
    id: NotRequired[str]


Source = SourceText | SourceDocument


class CitationGiven(TypedDict):
    """`answer[start:end]` cites a source: its number from 1, or its id."""

    start: int
    end: int
    source: int | str


class VerificationRequest(TypedDict):
    answer: str
    sources: list[Source]
    question: NotRequired[str]
    citations: NotRequired[list[CitationGiven]]
    checks: NotRequired[list[str]]
    repair: NotRequired[Literal["full", "citations", "off"]]
    preset: NotRequired[Literal["standard", "cheap"]]
    model: NotRequired[str]
    citation_confidence: NotRequired[float]
    show_claims: NotRequired[bool]
    workspace: NotRequired[str]
    callback_url: NotRequired[str]
    custom_id: NotRequired[str]
    deadline_s: NotRequired[float]
    max_cost_usd: NotRequired[float]


class VerifiedSentence(TypedDict):
    start: int
    end: int
    text: str
    status: str
    reason: str
    support: float | None
    evidence: str | None
    source: dict[str, Any] | None


class VerifiedCitation(TypedDict):
    number: int | None
    cited: int | str | None
    source: dict[str, Any] | None
    statement: str | None
    status: Literal["accurate", "inaccurate", "uncertain", "dangling", "not_checked"]
    is_accurate: bool | None
    confidence: float | None
    explanation: str
    evidence: str | None
    page_number: int | None


class Verification(TypedDict):
    """A verification that was only accepted has just `id`, `status` and `custom_id`."""

    id: str
    status: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    stage: str
    custom_id: str | None
    question: str | None
    preset: str
    error: Failure | None
    replay_of: str | None
    reverifies: str | None
    created_at: str
    finished_at: str | None
    answer: str
    repaired_answer: str | None
    changed: bool | None
    removed_citations: list[int]
    sentences: list[VerifiedSentence]
    citations: list[VerifiedCitation]
    verification: Scores | None
    usage: Usage
    timings: dict[str, float | None]
    degraded: list[LeftOut]
    audit: AuditHead | None
    comparison: Comparison | None


class BatchAccepted(TypedDict):
    id: str
    total: int


class Batch(TypedDict):
    """The counts by status add up to `total`."""

    id: str
    status: Literal["queued", "running", "finished", "cancelled"]
    total: int
    queued: int
    running: int
    succeeded: int
    failed: int
    cancelled: int
    created_at: str
    finished_at: str | None
