"""Passages as JSON: found by a search, or read in the order of their document."""

from typing import Self
from uuid import UUID

from pydantic import BaseModel, Field, JsonValue, model_validator

from api.schemas.questions.evidence import AlsoIn, Corrected, Figure, RecognisedConfidence, Score
from api.schemas.texts import Input, PlainText, WorkspaceName, Workspaces, one_place
from domain.query.options import DocumentFilter


class SearchCreate(Input):
    """A passage search."""

    query: PlainText = Field(
        description="The words or the question to search for.", examples=["return period for unopened products"]
    )
    workspace: WorkspaceName = Field(default="default", description="The collection of documents that is searched.")
    workspaces: Workspaces = None
    k: int | None = Field(default=None, ge=1, le=100, description="The number of passages; as configured if omitted.")
    filter: DocumentFilter | None = Field(
        default=None,
        description="Only documents that match all of these conditions.",
        examples=[{"filenames": ["policy.pdf"]}],
    )

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        one_place(self.model_fields_set, self.workspaces)
        return self


class PassageRead(BaseModel):
    """A passage of a document: its text from `source_start` to `source_end`, in code points."""

    document_id: UUID
    document_name: str
    doc_id: str
    chunk_id: str = Field(examples=["doc_0::chunk_2"])
    chunk_index: int = Field(description="The place of the passage among those of the document, from 0.")
    page_number: int | None = Field(description="Null where the page is not known; pages are never guessed.")
    section: str | None
    source_start: int
    source_end: int
    text: str = Field(description="The text; sentences that give orders to a model are blanked out in place.")
    metadata: dict[str, JsonValue]
    recognised_confidence: RecognisedConfidence = None
    figure: Figure = None
    corrected: Corrected = False


class PassageFound(PassageRead):
    """A passage with its similarity to the query."""

    workspace: str = Field(description="The workspace of the document.", examples=["finance"])
    similarity: Score | None = Field(
        description="Cosine similarity to the query; null when only the search by words found the passage."
    )
    also_in: AlsoIn


class SearchResult(BaseModel):
    """The passages found, best first."""

    passages: list[PassageFound]
    issues: list[str] = Field(description="Steps that did not run as configured; usually empty.")


class PassageList(BaseModel):
    """Passages of one document, in order."""

    passages: list[PassageRead]
