"""The settings of workspaces."""

from typing import Any, Literal, TypedDict


class WorkspaceModels(TypedDict):
    """Models by their names in the catalogue; None: the configured one."""

    main: str | None
    fast: str | None


class Instructions(TypedDict):
    """How answers are to be written."""

    language: str | None
    tone: str | None
    length: str | None
    glossary: dict[str, str]
    refusal: str | None


class ReviewRules(TypedDict):
    """Which answers a person has to see, and before anybody else where they are held."""

    confidence_below: float | None
    contradicted: bool
    conflicts: bool
    unread: bool
    hold: bool
    email: list[str]


class WorkspaceSettings(TypedDict):
    """Defaults of the questions of a workspace; None: as configured."""

    models: WorkspaceModels
    mode: Literal["low", "balanced", "high"] | None
    preset: Literal["standard", "cheap"] | None
    instructions: Instructions
    answer_schema: dict[str, Any] | None
    review: ReviewRules
