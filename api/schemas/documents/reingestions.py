"""Re-ingestion of documents on the wire."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field

from api.schemas.texts import Filename, Input, PlainText, WorkspaceName


class ReingestionCreate(Input):
    """Which documents in force are read again from their stored files; what is left out limits nothing."""

    workspace: WorkspaceName = Field(default="default")
    kind: PlainText | None = Field(default=None, max_length=20, description="A file type.", examples=["pdf"])
    before: AwareDatetime | None = Field(
        default=None,
        strict=False,
        description="Only what was read before this time.",
        examples=["2026-11-01T00:00:00Z"],
    )
    name_contains: Filename | None = Field(default=None, description="Only with this in its name, capitals or not.")
    dry_run: bool = Field(default=False, description="Only count.")


class ReingestionFilterRead(BaseModel):
    """The filter as it was given."""

    kind: str | None = Field(description="Only of this file type; null: of any.")
    before: datetime | None = Field(description="Only what was read before this time; null: whenever.")
    name_contains: str | None = Field(description="Only with this in its name; null: of any name.")


class ReingestionRead(BaseModel):
    """A re-ingestion and its progress."""

    id: UUID
    workspace: str
    filter: ReingestionFilterRead = Field(description="Which documents it reads.")
    status: Literal["running", "finished"]
    total: int = Field(description="Documents that it reads.")
    queued: int
    processing: int
    changed: int = Field(description="Got a new version, since their text or passages differ.")
    unchanged: int = Field(description="Gave what was stored already; only layout and boxes are stored anew.")
    failed: int = Field(description="Could not be read; the version in force stays.")
    created_at: datetime


class ReingestionAccepted(BaseModel):
    """The documents are queued, or only counted."""

    id: UUID | None = Field(description="Of the re-ingestion; null for a dry run.")
    matched: int = Field(description="Documents that match the filter.")
    corrected: int = Field(description="Documents that are left out because people corrected them; not in `matched`.")
    queued: int = Field(description="Those of them that were queued now; the others wait to be read already.")
