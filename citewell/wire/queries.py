"""Questions with their answers."""

from typing import Literal, TypedDict

from citewell.wire.answers import Citation, Mention, Scores, Usage
from citewell.wire.audits import AuditHead, Standing
from citewell.wire.common import Failure, LeftOut


class QueryHead(TypedDict):
    id: str
    status: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    stage: str
    workspace: str
    question: str
    mode: str
    preset: str
    run: str
    provider: str
    error: Failure | None
    replay_of: str | None
    created_at: str
    finished_at: str | None


class Query(QueryHead):
    restated_question: str | None
    conversation_id: str | None
    answer: str | None
    original_answer: str | None
    abstained: bool | None
    abstain_reason: str | None
    references: list[str]
    citations: list[Citation]
    removed_citations: list[int]
    mentions: list[Mention]
    verification: Scores | None
    usage: Usage
    timings: dict[str, float | None]
    degraded: list[LeftOut]
    audit: AuditHead | None
    standing: Standing | None
