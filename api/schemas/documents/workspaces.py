"""Workspaces as JSON."""

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
    title: Title | None = Field(default=None, description="The name that people see.", examples=["Finance, 2026"])
    settings: WorkspaceSettings = Field(
        default=WorkspaceSettings(), description="Default options of questions in this workspace."
    )


class WorkspaceChange(Input):
    """A change of a workspace: omitted fields stay as they are; null removes a title, or resets a setting."""

    name: WorkspaceName | None = Field(
        default=None, description=f"The new name: all that it contains stays. {_NEW_NAME}", examples=["finance-2026"]
    )
    title: Title | None = Field(default=None, description="The name that people see.", examples=["Finance, 2026"])
    settings: WorkspaceSettings = Field(
        default=WorkspaceSettings(),
        description="Only the settings in the request change. A glossary is replaced as a whole.",
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
    """The number of documents in each state, where each version counts as one."""

    queued: int
    processing: int
    ready: int
    failed: int
    superseded: int


class WorkspaceEmbedding(BaseModel):
    """The embedding model that the workspace's vectors come from."""

    model: str = Field(description="The name of the model.", examples=["use-multilingual-v3"])
    dimension: int = Field(description="The number of components of a vector.", examples=[512])


class WorkspaceRead(BaseModel):
    """A workspace, and how much it contains."""

    name: str = Field(examples=["finance"])
    title: str | None = Field(description="The name that people see.")
    status: Literal["active", "deleting"] = Field(
        description="`deleting`: the workspace accepts nothing any more, and disappears when all its content is "
        "deleted."
    )
    documents: WorkspaceDocuments
    size_bytes: int = Field(description="The size of the documents' files, in bytes.")
    passages: int = Field(description="The number of passages that can be searched.")
    settings: WorkspaceSettings = Field(
        description="Default options of questions in this workspace; null: as configured."
    )
    embedding: WorkspaceEmbedding | None = Field(description="Null until the first document of the workspace is read.")
    created_at: datetime
    used_at: datetime | None = Field(
        description="When the latest document, question or verification in the workspace was accepted; null when it "
        "is empty."
    )


class WorkspaceList(BaseModel):
    """A page of workspaces, ordered by name."""

    workspaces: list[WorkspaceRead] = Field(description="The workspaces, ordered by name.")
    next_cursor: str | None = Field(description="`cursor` of the next page; null on the last one.")
