"""Documents and archives, with their progress."""

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
    sha256: str
    size_bytes: int
    version: int
    status: Literal["queued", "processing", "ready", "failed", "superseded"]
    stage: str
    progress: Progress
    pages: int
    graph: DocumentGraph
    error: Failure | None
    created_at: str
    ready_at: str | None
    superseded_by: str | None
    superseded_at: str | None


class Passage(TypedDict):
    """A part of a document: its text from `source_start` to `source_end`, in code points."""

    document_id: str
    document_name: str
    chunk_id: str
    chunk_index: int
    page_number: int | None
    section: str | None
    source_start: int
    source_end: int
    text: str


class PassageFound(Passage):
    similarity: float | None


class SearchResult(TypedDict):
    """Passages, the best first; `issues` lists deviations from the configuration."""

    passages: list[PassageFound]
    issues: list[str]


class Skipped(TypedDict):
    name: str
    code: str
    message: str


class ImportFailure(TypedDict):
    document_id: str
    filename: str
    code: str
    message: str


class ImportHead(TypedDict):
    id: str
    workspace: str
    filename: str
    status: Literal["queued", "running", "finished", "failed"]
    total: int | None
    error: Failure | None
    created_at: str
    finished_at: str | None


class Import(ImportHead):
    sha256: str
    size_bytes: int
    source: str
    metadata: Metadata
    accepted: int
    skipped: list[Skipped]
    documents: dict[str, int]
    failures: list[ImportFailure]
