"""What a classifier of pairs is wanted for: the settings that errors name, and the form of its pairs."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class PairFormat(BaseModel):
    """How one model wants its pairs: `citewell.json` beside its weights. Without that file: what its purpose says.

    `template` is for models that read one text: `{source}` and `{statement}` stand in it. `truncation` is the side of
    the source that a pair that is too long loses; `longest` takes from the end of the longer text instead, as
    cross-encoders are trained; `never` makes such a pair an error (the judge cuts windows itself).
    `weights` names another file than model.onnx, e.g. a quantised one. `label` yields to the setting.
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
    """The names of the settings for the model, for its label and for a download; `form` where its folder says none."""

    model: str
    label: str
    download: str
    page: str
    form: PairFormat


JUDGING = Purpose("models.judge", "models.judge_label", "models.judge_download", "docs/neural-judge.md", PairFormat())
