"""Workspaces: how they may be named, and the settings that they give their questions."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from domain.errors.requests import WorkspaceNameInvalid
from domain.query.instructions import Instructions
from domain.query.options import Mode, Preset
from domain.query.review import ReviewRules

MAX_NAME = 100
_NAME = re.compile(rf"[^\W_][\w.-]{{0,{MAX_NAME - 1}}}")


def workspace_name(text: str) -> str:
    """The name of a new workspace as it is stored. Raises WorkspaceNameInvalid, which says the rule.

    Letters and digits are those of all scripts.
    """
    name = unicodedata.normalize("NFC", text).strip()
    if not _NAME.fullmatch(name):
        raise WorkspaceNameInvalid(
            f"{name[:MAX_NAME]!r} cannot be the name of a workspace. {WorkspaceNameInvalid.RULE}"
        )
    return name


class WorkspaceModels(BaseModel):
    """Models of the catalogue (`models.catalogue`), by name; null: the configured one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    main: str | None = Field(default=None, max_length=200, description="Writes answers.")
    fast: str | None = Field(default=None, max_length=200, description="Scores passages and judges statements.")


class WorkspaceSettings(BaseModel):
    """Defaults of the questions of a workspace: a request overrides them, they override the configuration."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    models: WorkspaceModels = Field(default=WorkspaceModels(), description="Who answers and who judges.")
    mode: Mode | None = Field(default=None, description="How much evidence an answer needs; null: `balanced`.")
    preset: Preset | None = Field(default=None, description="What a question may cost; null: as configured.")
    instructions: Instructions = Field(default=Instructions(), description="How answers are to be written.")
    answer_schema: dict[str, JsonValue] | None = Field(
        default=None, description="The JSON Schema of an object that answers are given as, too; null: none."
    )
    review: ReviewRules = Field(default=ReviewRules(), description="Which answers a person has to see.")

    @classmethod
    def stored(cls, values: Mapping[str, Any]) -> "WorkspaceSettings":
        """Read from the database; what a newer program stored in addition is ignored."""
        return cls.model_validate(values, extra="ignore")

    def changed(self, change: "WorkspaceSettings") -> "WorkspaceSettings":
        """With the fields that `change` was given; null sets a field back. A glossary is replaced as a whole."""
        return WorkspaceSettings.model_validate(_merged(self.model_dump(), change.model_dump(exclude_unset=True)))


_NESTED = frozenset({"models", "instructions", "review"})


def _merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    return {**old, **{key: _merged(old[key], value) if key in _NESTED else value for key, value in new.items()}}
