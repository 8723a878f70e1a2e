"""Archives of documents as JSON."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, Field, JsonValue

from api.schemas.documents.documents import DocumentError, object_in_a_field
from api.schemas.texts import Filename, Input, Metadata, SourceName, WorkspaceName

ImportState = Literal["queued", "running", "finished", "failed"]


class ImportUpload(Input):
    """The fields that accompany the file in a form."""

    filename: Filename
    workspace: WorkspaceName = Field(default="default")
    source: SourceName = Field(default="api-server")
    metadata: Annotated[Metadata, BeforeValidator(object_in_a_field)] = Field(default={})


class ImportLinks(BaseModel):
    """Related resources."""

    self: str


class ImportAccepted(BaseModel):
    """The archive is stored; a worker will unpack it."""

    id: UUID
    status: ImportState
    created: bool = Field(description="False when an import of the same archive is already under way.")
    links: ImportLinks


class ImportHead(BaseModel):
    """An import without its documents."""

    id: UUID
    workspace: str
    filename: str
    status: ImportState = Field(
        description="`finished` when no document of the import is queued or processing any more."
    )
    total: int | None = Field(description="The number of files in the archive; null until it was opened.")
    error: DocumentError | None = Field(description="Why nothing of the archive could be used.")
    created_at: datetime
    finished_at: datetime | None


class ImportSkipped(BaseModel):
    """A file of the archive that did not become a document, and why."""

    name: str
    code: str = Field(examples=["document_type_unknown"])
    message: str


class ImportFailure(BaseModel):
    """A document of the archive that could not be used, and why."""

    document_id: UUID
    filename: str
    code: str = Field(examples=["document_encrypted"])
    message: str


class ImportDocuments(BaseModel):
    """The number of the import's documents in each state."""

    queued: int
    processing: int
    ready: int
    failed: int
    superseded: int


class ImportRead(ImportHead):
    """An import and its progress: files become documents or are skipped, documents become ready or fail."""

    sha256: str
    size_bytes: int
    source: str
    metadata: dict[str, JsonValue]
    accepted: int = Field(
        description="The number of files that are documents now, including those that the workspace already had."
    )
    skipped: list[ImportSkipped]
    documents: ImportDocuments
    failures: list[ImportFailure]


class ImportList(BaseModel):
    """One page of imports, newest first."""

    imports: list[ImportHead]
    next_cursor: str | None = Field(description="Leads to the next page; null on the last one.")
