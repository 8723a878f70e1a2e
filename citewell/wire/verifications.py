"""Answers from elsewhere, and what their verification found."""

from typing import Any, Literal, NotRequired, TypedDict

from citewell.wire.answers import Citation, Claim, Scores
from citewell.wire.common import Failure


class SourceText(TypedDict):
    """A source that comes with the request."""

    text: str
    title: NotRequired[str]
    url: NotRequired[str]


class SourceDocument(TypedDict):
    """A source that was uploaded before."""

    document_id: str


Source = SourceText | SourceDocument


class VerificationRequest(TypedDict):
    answer: str
    sources: list[Source]
    question: NotRequired[str]
    citations: NotRequired[list[dict[str, Any]]]
    checks: NotRequired[list[str]]
    repair: NotRequired[bool]
    callback_url: NotRequired[str]
    custom_id: NotRequired[str]


class Verification(TypedDict):
    """What is not known yet is left out or null."""

    id: str
    status: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    custom_id: NotRequired[str | None]
    answer: NotRequired[str | None]
    citations: NotRequired[list[Citation]]
    claims: NotRequired[list[Claim] | None]
    verification: NotRequired[Scores | None]
    error: NotRequired[Failure | None]


class BatchAccepted(TypedDict):
    id: str
    total: int


class Batch(TypedDict):
    id: str
    total: int
    status: NotRequired[str]
    counts: NotRequired[dict[str, int]]
    created_at: NotRequired[str]
    finished_at: NotRequired[str | None]
