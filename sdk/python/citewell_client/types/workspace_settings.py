"""The settings of workspaces."""

from typing import Any, Literal, TypedDict


class WorkspaceModels(TypedDict):
    """Models by their names in the catalogue; None means the configured model."""

    main: str | None
    fast: str | None


class Instructions(TypedDict):
    """Instructions for writing answers."""

    language: str | None
    tone: str | None
    length: str | None
    glossary: dict[str, str]
    refusal: str | None


class ReviewRules(TypedDict):
    """Rules for the answers that a person has to review, before anybody else sees them where they are held."""

    confidence_below: float | None
    contradicted: bool
    conflicts: bool
    unread: bool
    hold: bool
    email: list[str]


class WorkspaceSettings(TypedDict):
    """Default options of questions in a workspace; None means as configured."""

    models: WorkspaceModels
    mode: Literal["low", "balanced", "high"] | None
    preset: Literal["standard", "cheap"] | None
    instructions: Instructions
    answer_schema: dict[str, Any] | None
    review: ReviewRules
