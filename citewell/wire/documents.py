"""Documents and how far they are read."""

from typing import Literal, TypedDict

from citewell.wire.common import Failure, Metadata


class Progress(TypedDict):
    chunks_done: int
    chunks_total: int | None


class DocumentGraph(TypedDict):
    status: Literal["off", "queued", "building", "ready", "failed"]
    chunks_done: int
    chunks_failed: int
    entities: int
    relations: int
    reason: str | None
    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


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
    graph: DocumentGraph
    error: Failure | None
    created_at: str
    ready_at: str | None
