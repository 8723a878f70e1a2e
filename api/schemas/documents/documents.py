"""Documents as JSON."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, Field, JsonValue, TypeAdapter

from api.schemas.texts import Filename, Input, Metadata, PlainText, SourceName, WorkspaceName

DocumentState = Literal["queued", "processing", "ready", "failed", "superseded"]

_METADATA = "Kept with every citation of the document: ticker, year, filing_type, title, … A JSON object."
_JSON_OBJECT: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])


class _Placement(Input):
    workspace: WorkspaceName = Field(
        default="default", description="The collection that the document joins; created on first use."
    )
    source: SourceName = Field(default="api-server", description="Where the document came from.")


class DocumentCreate(_Placement):
    """A document as JSON, with its text instead of a file."""

    filename: Filename = Field(description="The ending says how to read the text: `.md`, otherwise `.txt`.")
    text: PlainText = Field(description="The text of the document.", examples=["Refunds are paid within 14 days."])
    metadata: Metadata = Field(default={}, description=_METADATA, examples=[{"title": "Refund policy"}])


def object_in_a_field(value: Any) -> Any:
    return _JSON_OBJECT.validate_json(value) if isinstance(value, str) else value


class DocumentUpload(_Placement):
    """The fields that accompany the file in a form."""

    filename: Filename
    metadata: Annotated[Metadata, BeforeValidator(object_in_a_field)] = Field(default={})


class DocumentLinks(BaseModel):
    """Related resources."""

    self: str
    text: str


class DocumentAccepted(BaseModel):
    """The document is stored; workers will read it."""

    id: UUID
    status: DocumentState
    created: bool = Field(description="False when the workspace already had the same bytes under this name.")
    same_as: UUID | None = Field(description="A document of the workspace with the same bytes under another name.")
    links: DocumentLinks


class DocumentProgress(BaseModel):
    """Chunks embedded and stored so far; the total is null until the text has been read."""

    chunks_done: int
    chunks_total: int | None
    pages_recognised: int | None = Field(
        description="For a scan, the number of pages whose text is recognised; null for other documents."
    )
    pages_to_recognise: int | None = Field(
        description="For a scan, the number of pages that are pictures; null for other documents."
    )


class DocumentGraphRead(BaseModel):
    """The document's part of the knowledge graph, which is built after the document is ready."""

    status: Literal["off", "queued", "building", "ready", "failed"] = Field(
        description="`off`: the graph was not asked for when the document was ingested."
    )
    chunks_done: int = Field(description="The number of chunks that were read for the graph.")
    chunks_failed: int = Field(description="The number of those chunks for which no model gave a usable reply.")
    entities: int = Field(description="The number of entities that the document names.")
    relations: int = Field(description="The number of pairs of entities that the document connects.")
    reason: str | None = Field(description="The most recent problem, if there was one.")
    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


class DocumentError(BaseModel):
    """Why a document could not be used, and what to do."""

    code: str = Field(examples=["document_encrypted"])
    message: str


class DocumentReading(BaseModel):
    """The time and cost of reading, splitting, embedding and storing a document, without the time that it waited."""

    seconds: float = Field(description="The duration of the successful attempt.")
    ms_per_page: float | None = Field(description="Milliseconds per page; null for formats without pages.")
    cost_usd: float | None = Field(description="The cost of the embeddings; null where `embeddings.price` is not set.")


class NearDuplicateRead(BaseModel):
    """A document of the same workspace with nearly the same text."""

    id: UUID
    filename: str
    similarity: float = Field(description="The share of the texts that is the same, from 0.9 to 1; an estimate.")


class DocumentRead(BaseModel):
    """A document and the progress of its ingestion."""

    id: UUID
    doc_id: str = Field(description="Short id within the workspace, the first part of chunk ids.", examples=["doc_0"])
    workspace: str
    filename: str
    source: str
    metadata: dict[str, JsonValue]
    sha256: str = Field(description="The SHA-256 of the file, in hexadecimal.")
    size_bytes: int
    version: int = Field(description="The number of the version among those accepted under this name, from 1.")
    status: DocumentState = Field(
        description="Only `ready` documents are searched; a `superseded` one was searched until a newer version was "
        "ready."
    )
    stage: str = Field(description="The current step: `queued`, `reading`, `embedding`, …")
    progress: DocumentProgress
    pages: int = Field(description="The number of pages; 0 for formats without pages, and until the document is read.")
    chunks_excluded: int = Field(description="The number of passages that people took out of the search.")
    corrected_from: UUID | None = Field(
        description="The version whose text this one corrects; null unless the version is a correction."
    )
    reading: DocumentReading | None = Field(description="Null until the document is ready.")
    graph: DocumentGraphRead
    near_duplicate_of: NearDuplicateRead | None = Field(
        description="The most similar document in force when this one was read; null when none was similar."
    )
    error: DocumentError | None
    can_retry: bool = Field(
        description="Whether a retry may succeed for a failed document; false where the file itself is the reason: it "
        "has an unknown type, or is empty, damaged, encrypted or too large."
    )
    created_at: datetime
    ready_at: datetime | None
    superseded_by: UUID | None = Field(
        description="The version that replaced this one; null also when that version is deleted."
    )
    superseded_at: datetime | None


class PageRead(BaseModel):
    """A page of a document: the text from `start` to `end`, in code points."""

    number: int = Field(description="The page number as the document counts its pages.")
    start: int
    end: int
    width: float | None = Field(default=None, description="In points; null for pages without a picture.")
    height: float | None = Field(default=None, description="In points; null for pages without a picture.")


class SectionRead(BaseModel):
    """A section of a document: the text from `start` to `end`, in code points."""

    title: str
    start: int
    end: int


class CorrectionRead(BaseModel):
    """A place of the text that people corrected, with the words that the file has there."""

    start: int = Field(
        description="Where the corrected place starts, in code points; equal to `end` where people struck words out."
    )
    end: int = Field(description="Where the corrected place ends, in code points, exclusive.")
    of_file: str = Field(description="The words of the file; empty where people added words.")


class DocumentLayout(BaseModel):
    """The offsets of the pages, sections and corrected places in a document's text."""

    characters: int = Field(description="Length of the text, in code points.")
    pages: list[PageRead] = Field(description="The pages in their order; empty for formats without pages.")
    sections: list[SectionRead] = Field(description="The sections in the order in which they begin.")
    corrections: list[CorrectionRead] = Field(
        description="The corrected places in order, without those whose correction was undone."
    )


class DocumentList(BaseModel):
    """One page of documents, newest first."""

    documents: list[DocumentRead]
    total: int = Field(description="The number of documents on all pages together, with these filters.")
    next_cursor: str | None = Field(description="Leads to the next page; null on the last one.")


class DocumentVersions(BaseModel):
    """All versions accepted under one name, newest first."""

    documents: list[DocumentRead]
