"""Workspaces on the wire."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, StringConstraints, model_validator

from api.schemas.texts import Input, PlainText, WorkspaceName
from domain.errors.requests import WorkspaceNameInvalid
from domain.query.options import WorkspaceSettings

_NEW_NAME = f"How requests name it. {WorkspaceNameInvalid.RULE}"
Title = Annotated[PlainText, StringConstraints(min_length=1, max_length=200)]


class WorkspaceCreate(Input):
    """A new workspace."""

    name: WorkspaceName = Field(description=_NEW_NAME, examples=["finance"])
    title: Title | None = Field(default=None, description="How people call it.", examples=["Finance, 2026"])
    settings: WorkspaceSettings = Field(default=WorkspaceSettings(), description="Defaults of its questions.")


class WorkspaceChange(Input):
    """What is left out stays as it is; null takes a title away, or sets a setting back."""

    name: WorkspaceName | None = Field(
        default=None, description=f"The new name: all that it contains stays. {_NEW_NAME}", examples=["finance-2026"]
    )
    title: Title | None = Field(default=None, description="How people call it.", examples=["Finance, 2026"])
    settings: WorkspaceSettings = Field(
        default=WorkspaceSettings(),
        description="Only the settings that are sent change. A glossary is replaced as a whole.",
        examples=[{"mode": "high", "instructions": {"tone": "formal", "refusal": None}}],
    )

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("nothing is to be changed; send at least one field")
        return self

    @property
    def columns(self) -> dict[str, str | None]:
        sent = self.model_dump(include={"name", "title"}, exclude_unset=True)
        return {field: value for field, value in sent.items() if field != "name" or value is not None}


class WorkspaceDocuments(BaseModel):
    """The number of documents in each state; every version counts."""

    queued: int
    processing: int
    ready: int
    failed: int
    superseded: int


class WorkspaceEmbedding(BaseModel):
    """The model that its vectors come from."""

    model: str = Field(description="By its name.", examples=["use-multilingual-v3"])
    dimension: int = Field(description="The number of components of a vector.", examples=[512])


class WorkspaceRead(BaseModel):
    """A workspace and how much it contains."""

    name: str = Field(examples=["finance"])
    title: str | None = Field(description="How people call it.")
    status: Literal["active", "deleting"] = Field(
        description="`deleting`: it accepts nothing any more, and is gone when all that it contains is."
    )
    documents: WorkspaceDocuments
    size_bytes: int = Field(description="Of the files of its documents, in bytes.")
    passages: int = Field(description="The number of passages that can be searched.")
    settings: WorkspaceSettings = Field(description="Defaults of its questions; null: as configured.")
    embedding: WorkspaceEmbedding | None = Field(description="Null before its first document is read.")
    created_at: datetime
    used_at: datetime | None = Field(
        description="When the last document, question or verification that it contains was accepted; null: it is empty."
    )


class WorkspaceList(BaseModel):
    """A page of workspaces, by name."""

    workspaces: list[WorkspaceRead] = Field(description="By name.")
    next_cursor: str | None = Field(description="`cursor` of the next page; null on the last one.")
