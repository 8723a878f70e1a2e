"""Passages on the wire: found by a search, or read in the order of their document."""

from typing import Self
from uuid import UUID

from pydantic import BaseModel, Field, JsonValue, model_validator

from api.schemas.questions.evidence import AlsoIn, Corrected, Figure, RecognisedConfidence, Score
from api.schemas.texts import Input, PlainText, WorkspaceName, Workspaces, one_place
from domain.query.options import DocumentFilter


class SearchCreate(Input):
    """A passage search."""

    query: PlainText = Field(description="Words or a question.", examples=["return period for unopened products"])
    workspace: WorkspaceName = Field(default="default", description="The collection of documents that is searched.")
    workspaces: Workspaces = None
    k: int | None = Field(default=None, ge=1, le=100, description="How many passages; as configured if left out.")
    filter: DocumentFilter | None = Field(
        default=None, description="Only documents of which all of this holds.", examples=[{"filenames": ["policy.pdf"]}]
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
    chunk_index: int = Field(description="Its place among the passages of the document, from 0.")
    page_number: int | None = Field(description="Null where the page is not known; never guessed.")
    section: str | None
    source_start: int
    source_end: int
    text: str = Field(description="Sentences that give orders to a model are blanked out, in place.")
    metadata: dict[str, JsonValue]
    recognised_confidence: RecognisedConfidence = None
    figure: Figure = None
    corrected: Corrected = False


class PassageFound(PassageRead):
    """A passage with its similarity to the query."""

    workspace: str = Field(description="The workspace of the document.", examples=["finance"])
    similarity: Score | None = Field(description="Cosine similarity to the query; null when found by words alone.")
    also_in: AlsoIn


class SearchResult(BaseModel):
    """The passages found, best first."""

    passages: list[PassageFound]
    issues: list[str] = Field(description="What was not done as configured; empty as a rule.")


class PassageList(BaseModel):
    """Passages of one document, in order."""

    passages: list[PassageRead]
