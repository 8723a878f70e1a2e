"""Purposes of pair classifiers: the settings that errors name, and the default pair format."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class PairFormat(BaseModel):
    """The pair format of one model: `citewell.json` beside its weights, else the default of its purpose.

    `template` is for models that read one text, with `{source}` and `{statement}` as placeholders. `truncation` is the
    side of the source that an overlong pair loses; `longest` cuts the end of the longer text instead, as cross-encoders
    are trained; `never` makes such a pair an error (the judge makes windows itself). `weights` names another file than
    model.onnx, e.g. a quantised one. The setting overrides `label`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    label: str | None = None
    order: Literal["source_first", "statement_first"] = "source_first"
    template: str | None = Field(default=None, pattern=r"(?s)\{source\}.*\{statement\}|\{statement\}.*\{source\}")
    truncation: Literal["never", "left", "right", "longest"] = "never"
    max_tokens: int | None = Field(default=None, ge=8)
    weights: str | None = None


@dataclass(frozen=True, slots=True)
class Purpose:
    """The names of the settings for model, label and download, a documentation page, and the default `form`."""

    model: str
    label: str
    download: str
    page: str
    form: PairFormat


JUDGING = Purpose(
    "models.judge", "models.judge_label", "models.judge_download", "docs/internals/neural-judge.md", PairFormat()
)
