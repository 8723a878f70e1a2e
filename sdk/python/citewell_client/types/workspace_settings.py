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


class WorkspaceSettings(TypedDict):
    """Defaults of the questions of a workspace; None: as configured."""

    models: WorkspaceModels
    mode: Literal["low", "balanced", "high"] | None
    preset: Literal["standard", "cheap"] | None
    instructions: Instructions
    answer_schema: dict[str, Any] | None
