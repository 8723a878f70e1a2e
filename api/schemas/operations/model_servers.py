"""Servers of language models on the wire: found, tried, chosen."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, SecretStr

from api.schemas.texts import Input

_Key = Annotated[SecretStr, Field(strict=False, max_length=4_000)]


class ServerGiven(Input):
    """A server of models."""

    provider: Literal["openai_compatible", "groq"] = Field(
        default="openai_compatible", description="`openai_compatible`: any server of chat completions, Azure's too."
    )
    address: str | None = Field(
        default=None,
        max_length=2_048,
        description="Of an OpenAI-compatible server, without `/chat/completions`.",
        examples=["http://127.0.0.1:11434/v1"],
    )
    key: _Key = Field(default=SecretStr(""), description="Its key, if it wants one; no response has it.")


class ModelTrialCreate(ServerGiven):
    """A model to try."""

    model: str | None = Field(
        default=None, min_length=1, max_length=500, description="Its name at the server; null: the only or usual one."
    )
    preset: Literal["standard", "cheap", "small"] | None = Field(
        default=None, description="`small`: the model writes and rules judge; null: that for a server of this machine."
    )


class ModelChoose(Input):
    """The trial whose model is to answer."""

    trial_id: int = Field(ge=1, lt=2**63, description="The `id` of a trial of the last hour.", examples=[7])


class FoundServer(BaseModel):
    """A usual or configured address of a server of models, and what is there."""

    name: str | None = Field(description="The program that is usually there; null for a configured address.")
    address: str = Field(description="The part before `/chat/completions`.")
    state: Literal["ok", "key_refused", "forbidden", "unreachable", "unclear"] = Field(
        description="`unclear`: something answers, but not as a server of models does."
    )
    models: list[str] = Field(description="The names of the models that it serves.")
    detail: str | None = Field(description="What is wrong, unless the state is `ok`.")
    start: str | None = Field(description="The command that starts the program.")


class FoundServerList(BaseModel):
    """All addresses that were looked at."""

    servers: list[FoundServer] = Field(description="The usual ones first, those of `models.servers` behind them.")


class ServedModels(BaseModel):
    """The models of one server."""

    address: str | None = Field(description="As it is to be used, with `/v1` if that was missing.")
    models: list[str] = Field(description="Their names at the server.")
    detail: str | None = Field(description="Why it lists none; a model can be tried by its name.")


class ModelTried(BaseModel):
    """One trial of a model, whose right answer is known."""

    model: str = Field(description="Its name at the server.")
    tried: str = Field(description="What it had to do.")
    found: str = Field(description="`ok`, or what was noticed or is wrong.")
    passed: bool = Field(description="Whether it did so.")
    seconds: float = Field(description="Of its slowest call.")


class ModelsInUse(BaseModel):
    """Which models write and judge."""

    provider: Literal["groq", "openai_compatible", "offline"] = Field(description="`offline`: no language model.")
    address: str | None = Field(description="Of the server; null without one.")
    main: str | None = Field(description="Writes answers.")
    fast: str | None = Field(description="Scores passages and judges statements, where the judge is `model`.")
    judge: Literal["model", "rules"] = Field(description="Who scores passages and judges statements.")
    is_remote: bool = Field(description="Whether texts of documents leave this machine.")
    has_price: bool = Field(description="Whether the cost of a question can be told.")


class SettingTold(BaseModel):
    """A setting as config.yaml would have it."""

    name: str = Field(description="With the group before it: `models.main`.")
    value: Any = Field(description="As YAML and JSON have it.")


class ModelTrial(BaseModel):
    """A trial, and what it found."""

    id: int = Field(description="For an hour.")
    status: Literal["running", "passed", "failed"] = Field(description="`passed`: the model can be used.")
    problem: str | None = Field(description="Why it cannot be used.")
    trials: list[ModelTried] = Field(description="Up to the first that it did not pass.")
    settings: list[SettingTold] = Field(description="What `citewell models use` would write.")
    models: ModelsInUse | None = Field(description="What would answer then.")


class CurrentModels(ModelsInUse):
    """What answers now."""

    chosen_by: Literal["page", "configuration", "default"] = Field(description="`page`: over these endpoints.")
    since: datetime | None = Field(description="When it was chosen here.")
    trials: list[ModelTried] = Field(description="The table of the trial that it was chosen after.")
    may_choose: bool = Field(description="Whether the caller may choose another.")
    reason: str | None = Field(description="Why it may not be chosen here.")
