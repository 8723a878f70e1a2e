"""Chunks as JSON, for the people who look after them: exclusions from the search, corrections, and the history of
both."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from api.schemas.documents.documents import DocumentRead
from api.schemas.texts import Input, PlainText

EditKind = Literal["excluded", "included", "corrected", "exclusion_kept", "exclusion_ended", "correction_ended"]
Reason = Annotated[
    PlainText | None,
    Field(
        max_length=1000,
        description="The reason for the change, kept in the history.",
        examples=["a page of advertisements"],
    ),
]


class ChunkRead(BaseModel):
    """A chunk of a document: its text from `source_start` to `source_end`, in code points."""

    chunk_id: str = Field(examples=["doc_0::chunk_2"])
    chunk_index: int
    page_number: int | None = Field(description="Null where the page is not known; pages are never guessed.")
    section: str | None
    context: str | None = Field(
        description="The headings above the chunk and the columns of its table: searched and shown to models together "
        "with the text."
    )
    source_start: int
    source_end: int
    text: str = Field(description="The stored text.")
    tokens: int = Field(description="The approximate number of model tokens in the text.")
    excluded: bool = Field(description="Whether the chunk is left out of every search.")
    corrected: bool = Field(description="Whether people changed the text, which then differs from the file.")
    has_hidden_orders: bool = Field(
        description="Whether the text has sentences that give orders to a model; they are blanked out before any use."
    )


class ChunkList(BaseModel):
    """Chunks of one document, in order."""

    chunks: list[ChunkRead] = Field(description="The chunks of this page, in order.")
    total: int = Field(description="The number of chunks in the document.")
    matching: int = Field(description="The number of chunks that match the request, on all pages.")
    excluded: int = Field(description="The number of the document's chunks that are left out of every search.")
    next_first: int | None = Field(description="The `first` of the next page; null on the last one.")


class ChunkUpdate(Input):
    """A change to a chunk that leaves its text alone."""

    excluded: bool = Field(description="True takes the chunk out of every search, false puts it back.", examples=[True])
    reason: Reason = None


class CorrectionCreate(Input):
    """The corrected text of a chunk."""

    text: PlainText = Field(
        max_length=100_000,
        description="The whole text of the chunk as it should be.",
        examples=["Returns must be made within 30 days. A receipt is required for every return."],
    )
    reason: Reason = None


class ChunkCorrected(BaseModel):
    """The document version that a correction created; it is in force at once."""

    document: DocumentRead
    chunk: ChunkRead = Field(description="The corrected chunk in that version.")


class DocumentEditRead(BaseModel):
    """A change to a chunk. A new version inherits an exclusion where its text is the same; elsewhere the exclusion
    ends. A correction ends when another file does not contain the corrected text."""

    kind: EditKind
    document_id: UUID = Field(
        description="The version whose history the change belongs to; for a correction, the version that it created."
    )
    version: int
    from_document: UUID | None = Field(
        description="The previous version, for a correction and for a change that was inherited from it or ended."
    )
    chunk_index: int
    source_start: int = Field(description="Where the chunk begins in `from_document`, else in `document_id`.")
    source_end: int
    before: str = Field(description="The text of the chunk before the change.")
    after: str | None = Field(description="The text that a correction put in its place; null for other changes.")
    reason: str | None
    made_by: str | None = Field(description="The id of the key that made the change; null without keys.")
    created_at: datetime


class DocumentEdits(BaseModel):
    """The changes that people made to the chunks of all versions of a document, newest first."""

    edits: list[DocumentEditRead] = Field(description="The last 1,000 changes at most.")
