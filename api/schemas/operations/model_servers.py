"""Servers of language models as JSON: found, tried, chosen."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, SecretStr

from api.schemas.texts import Input

_Key = Annotated[SecretStr, Field(strict=False, max_length=4_000)]


class ServerGiven(Input):
    """A server of models."""

    provider: Literal["openai_compatible", "groq"] = Field(
        default="openai_compatible",
        description="`openai_compatible`: any server of chat completions, including Azure's.",
    )
    address: str | None = Field(
        default=None,
        max_length=2_048,
        description="The address of an OpenAI-compatible server, without `/chat/completions`.",
        examples=["http://127.0.0.1:11434/v1"],
    )
    key: _Key = Field(
        default=SecretStr(""), description="The API key of the server, if it needs one; no response contains it."
    )


class ModelTrialCreate(ServerGiven):
    """A model to try."""

    model: str | None = Field(
        default=None,
        min_length=1,
        max_length=500,
        description="The model's name at the server; null: its only or usual model.",
    )
    preset: Literal["standard", "cheap", "small"] | None = Field(
        default=None,
        description="`small`: the model writes and rules judge; null: the default for a server of this machine.",
    )


class ModelChoose(Input):
    """The trial whose model is to answer questions."""

    trial_id: int = Field(ge=1, lt=2**63, description="The `id` of a trial from the last hour.", examples=[7])


class FoundServer(BaseModel):
    """A usual or configured address of a model server, and the server that answers there."""

    name: str | None = Field(description="The program that usually listens there; null for a configured address.")
    address: str = Field(description="The address without `/chat/completions`.")
    state: Literal["ok", "key_refused", "forbidden", "unreachable", "unclear"] = Field(
        description="`unclear`: something answers, but not as a model server does."
    )
    models: list[str] = Field(description="The names of the models at the server.")
    detail: str | None = Field(description="The problem, unless the state is `ok`.")
    start: str | None = Field(description="The command that starts the program.")


class FoundServerList(BaseModel):
    """All addresses that were checked."""

    servers: list[FoundServer] = Field(description="The usual addresses first, then those of `models.servers`.")


class ServedModels(BaseModel):
    """The models of one server."""

    address: str | None = Field(description="The address to use, with `/v1` added if it was missing.")
    models: list[str] = Field(description="The names of the models at the server.")
    detail: str | None = Field(description="Why the server lists no models; a model can still be tried by its name.")


class ModelTried(BaseModel):
    """One test in the trial of a model, with a known right answer."""

    model: str = Field(description="The model's name at the server.")
    tried: str = Field(description="The task of the test.")
    found: str = Field(description="`ok`, the problem, or a remark on a test that was passed.")
    passed: bool = Field(description="Whether the model passed the test.")
    seconds: float = Field(description="The duration of its slowest call.")


class ModelsInUse(BaseModel):
    """The models that write answers and judge statements."""

    provider: Literal["groq", "openai_compatible", "offline"] = Field(
        description="`offline`: no language model is used."
    )
    address: str | None = Field(description="The address of the server; null without one.")
    main: str | None = Field(description="The model that writes answers.")
    fast: str | None = Field(
        description="The model that scores passages and judges statements, where `judge` is `model`."
    )
    judge: Literal["model", "rules"] = Field(
        description="Whether a model or rules score passages and judge statements."
    )
    is_remote: bool = Field(description="Whether texts of documents are sent to another machine.")
    has_price: bool = Field(description="Whether the cost of a question can be calculated.")


class SettingTold(BaseModel):
    """A setting in the form that config.yaml has."""

    name: str = Field(description="The name with its group: `models.main`.")
    value: Any = Field(description="The value, as in YAML and JSON.")


class ModelTrial(BaseModel):
    """A trial and its result."""

    id: int = Field(description="The id of the trial, valid for an hour.")
    status: Literal["running", "passed", "failed"] = Field(description="`passed`: the model can be used.")
    problem: str | None = Field(description="Why the model cannot be used.")
    trials: list[ModelTried] = Field(description="The tests, up to the first one that failed.")
    settings: list[SettingTold] = Field(description="The settings that `citewell models use` would write.")
    models: ModelsInUse | None = Field(description="The models that would answer and judge after the choice.")


class CurrentModels(ModelsInUse):
    """The models that answer and judge now, and how they were chosen."""

    chosen_by: Literal["page", "configuration", "default"] = Field(description="`page`: over these endpoints.")
    since: datetime | None = Field(description="When the models were chosen over these endpoints.")
    trials: list[ModelTried] = Field(description="The tests of the trial before the choice.")
    may_choose: bool = Field(description="Whether the caller may choose other models.")
    reason: str | None = Field(description="Why other models may not be chosen here.")
