"""Workspaces."""

from typing import Literal, TypedDict


class WorkspaceDocuments(TypedDict):
    queued: int
    processing: int
    ready: int
    failed: int
    superseded: int


class WorkspaceEmbedding(TypedDict):
    model: str
    dimension: int


class WorkspaceModels(TypedDict):
    main: str | None
    fast: str | None


class Instructions(TypedDict):
    """How answers are to be written."""

    language: str | None
    tone: str | None
    length: str | None
    glossary: dict[str, str]
    refusal: str | None


class WorkspaceSettings(TypedDict):
    """Defaults of the questions of a workspace."""

    models: WorkspaceModels
    mode: Literal["low", "balanced", "high"] | None
    preset: Literal["standard", "cheap"] | None
    instructions: Instructions


class Workspace(TypedDict):
    name: str
    title: str | None
    status: Literal["active", "deleting"]
    documents: WorkspaceDocuments
    size_bytes: int
    passages: int
    settings: WorkspaceSettings
    embedding: WorkspaceEmbedding | None
    created_at: str
    used_at: str | None
