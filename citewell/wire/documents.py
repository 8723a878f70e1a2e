"""Documents and how far they are read."""

from typing import Literal, TypedDict

from citewell.wire.common import Failure, Metadata


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
