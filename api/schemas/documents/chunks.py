"""Chunks on the wire, as people look after them: excluded from the search, corrected, and the history of both."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from api.schemas.documents.documents import DocumentRead
from api.schemas.texts import Input, PlainText

EditKind = Literal["excluded", "included", "corrected", "exclusion_kept", "exclusion_ended", "correction_ended"]
Reason = Annotated[
    PlainText | None, Field(max_length=1000, description="Why; for the history.", examples=["a page of advertisements"])
]


class ChunkRead(BaseModel):
    """A chunk of a document: its text from `source_start` to `source_end`, in code points."""

    chunk_id: str = Field(examples=["doc_0::chunk_2"])
    chunk_index: int
    page_number: int | None = Field(description="Null where the page is not known; never guessed.")
    section: str | None
    context: str | None = Field(
        description="The headings above it and the columns of its table: searched and shown to models with the text."
    )
    source_start: int
    source_end: int
    text: str = Field(description="As it is stored.")
    tokens: int = Field(description="About how many tokens of a model the text has.")
    excluded: bool = Field(description="Whether it is left out of every search.")
    corrected: bool = Field(description="Whether people changed its text; it then differs from the file.")
    has_hidden_orders: bool = Field(description="Whether sentences that give orders to a model are blanked out in use.")


class ChunkList(BaseModel):
    """Chunks of one document, in order."""

    chunks: list[ChunkRead] = Field(description="Of this page, in order.")
    total: int = Field(description="How many chunks the document has.")
    matching: int = Field(description="How many of them the request asks for, on all pages.")
    excluded: int = Field(description="How many of them are left out of every search.")
    next_first: int | None = Field(description="`first` of the next page; null on the last one.")


class ChunkUpdate(Input):
    """A change of a chunk that leaves its text alone."""

    excluded: bool = Field(description="True takes it out of every search, false puts it back.", examples=[True])
    reason: Reason = None


class CorrectionCreate(Input):
    """The right text of a chunk."""

    text: PlainText = Field(
        max_length=100_000,
        description="The whole text of the chunk as it should be.",
        examples=["Returns must be made within 30 days. A receipt is required for every return."],
    )
    reason: Reason = None


class ChunkCorrected(BaseModel):
    """The version of the document that the correction made, in force at once."""

    document: DocumentRead
    chunk: ChunkRead = Field(description="The corrected chunk in that version.")


class DocumentEditRead(BaseModel):
    """A change of a chunk. Exclusions go over to a new version where the text is the same, and end where it is not;
    corrections end where another file has not the corrected text."""

    kind: EditKind
    document_id: UUID = Field(description="The version whose history it belongs to; of a correction, what it made.")
    version: int
    from_document: UUID | None = Field(description="The version before, of a correction or of what went over from it.")
    chunk_index: int
    source_start: int = Field(description="Where the chunk begins in `from_document`, else in `document_id`.")
    source_end: int
    before: str = Field(description="The text of the chunk.")
    after: str | None = Field(description="The text that a correction put in its place; null for others.")
    reason: str | None
    made_by: str | None = Field(description="The id of the key; null without keys.")
    created_at: datetime


class DocumentEdits(BaseModel):
    """What people changed in all versions of a document, the newest first."""

    edits: list[DocumentEditRead] = Field(description="At most the last 1,000.")
