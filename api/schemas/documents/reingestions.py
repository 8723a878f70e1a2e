"""Re-ingestion of documents as JSON."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field

from api.schemas.texts import Filename, Input, PlainText, WorkspaceName


class ReingestionCreate(Input):
    """A filter for the documents in force that are read again from their stored files; an omitted field limits
    nothing."""

    workspace: WorkspaceName = Field(default="default")
    kind: PlainText | None = Field(default=None, max_length=20, description="A file type.", examples=["pdf"])
    before: AwareDatetime | None = Field(
        default=None,
        strict=False,
        description="Only documents that were read before this time.",
        examples=["2026-11-01T00:00:00Z"],
    )
    name_contains: Filename | None = Field(
        default=None, description="Only documents with this text in their name, ignoring case."
    )
    dry_run: bool = Field(default=False, description="Only count the documents.")


class ReingestionFilterRead(BaseModel):
    """The filter as it was given."""

    kind: str | None = Field(description="Only documents of this file type; null: of any type.")
    before: datetime | None = Field(description="Only documents that were read before this time; null: at any time.")
    name_contains: str | None = Field(description="Only documents with this text in their name; null: with any name.")


class ReingestionRead(BaseModel):
    """A re-ingestion and its progress."""

    id: UUID
    workspace: str
    filter: ReingestionFilterRead = Field(description="The filter that selects the documents.")
    status: Literal["running", "finished"]
    total: int = Field(description="The number of documents that the run reads.")
    queued: int
    processing: int
    changed: int = Field(description="Documents that got a new version, because their text or passages differ.")
    unchanged: int = Field(
        description="Documents whose stored text and passages are the same; only layout and boxes are stored anew."
    )
    failed: int = Field(description="Documents that could not be read; their version in force stays.")
    created_at: datetime


class ReingestionAccepted(BaseModel):
    """The result of a request: the documents are queued, or only counted."""

    id: UUID | None = Field(description="The id of the re-ingestion; null for a dry run.")
    matched: int = Field(description="The number of documents that match the filter.")
    corrected: int = Field(
        description="The number of documents that are left out because people corrected them; not counted in `matched`."
    )
    queued: int = Field(
        description="The number of matching documents that were queued now; the others already wait to be read."
    )
