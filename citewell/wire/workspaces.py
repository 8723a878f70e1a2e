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


class Workspace(TypedDict):
    name: str
    title: str | None
    status: Literal["active", "deleting"]
    documents: WorkspaceDocuments
    size_bytes: int
    passages: int
    embedding: WorkspaceEmbedding | None
    created_at: str
    used_at: str | None
