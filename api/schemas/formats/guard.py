"""The guard: LiteLLM's Generic Guardrail API, and chat completions of another model (issue 44).

Fields that are not here are ignored by the first and handed on by the second.
"""

from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from api.schemas.texts import Input, WorkspaceName


class GuardParameters(Input):
    """What a gateway may ask for, as `additional_provider_specific_params`; the settings decide the rest."""

    model_config = ConfigDict(extra="ignore")

    on_failure: Literal["repair", "block"] | None = Field(
        default=None, description="What becomes of a sentence that the sources do not say."
    )
    on_unchecked: Literal["block", "pass"] | None = Field(
        default=None, description="What becomes of text whose check failed."
    )
    without_sources: Literal["block", "pass"] | None = Field(
        default=None, description="What becomes of an answer to a request without sources."
    )
    source_tools: list[str] | None = Field(default=None, description="The tools whose results count; empty: all.")
    attached_texts: bool | None = Field(
        default=None, description="Whether texts that a chat program put between marks into messages are sources."
    )
    workspace: WorkspaceName | None = Field(
        default=None, description="Where sources are searched when a request brings none."
    )


class GuardrailAsked(BaseModel):
    """A request or an answer of a gateway, as LiteLLM sends it."""

    model_config = ConfigDict(extra="ignore")

    input_type: Literal["request", "response"] = Field(
        description="`request`: its sources are kept, nothing is judged. `response`: `texts` are verified."
    )
    litellm_call_id: str | None = Field(
        default=None, max_length=200, description="Ties an answer to the request whose sources it is verified against."
    )
    texts: list[str] | None = Field(default=None, max_length=128, description="The texts of the answer.")
    structured_messages: list[JsonValue] | None = Field(
        default=None, description="The messages of the request: results of tools and documents in them are the sources."
    )
    additional_provider_specific_params: GuardParameters | None = Field(
        default=None, description="Policies of this gateway."
    )


class GuardrailAnswered(BaseModel):
    """What becomes of it."""

    action: Literal["NONE", "GUARDRAIL_INTERVENED", "BLOCKED"] = Field(
        description="`GUARDRAIL_INTERVENED`: `texts` go out instead."
    )
    blocked_reason: str | None = Field(default=None, description="Why nothing may go out.")
    texts: list[str] | None = Field(default=None, description="What goes out instead, for each text.")
    stream_holdback_chars: list[int] | None = Field(
        default=None, description="How many characters at the end of each text a stream has to hold back."
    )


class ProxyOptions(Input):
    """Citewell's own options of a guarded completion; they are not handed on."""

    workspace: WorkspaceName | None = Field(
        default=None, description="Where sources are searched when the request brings none."
    )
    documents: list[JsonValue] = Field(
        default=[], max_length=1_000, description="Sources beside the messages: texts, or objects with `text`, `title`."
    )


class GuardedCreate(BaseModel):
    """A chat completion of the model behind the proxy: everything but `citewell` is handed on as it is."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(description="A model of that server.", examples=["gpt-5-mini"])
    messages: list[JsonValue] = Field(
        min_length=1,
        examples=[[{"role": "tool", "content": "Returns: 30 days."}, {"role": "user", "content": "How long?"}]],
        description="Results of tools and documents in them are what the answer is verified against.",
    )
    stream: bool | None = Field(default=None, description="Send each sentence when it and all before it have passed.")
    n: int | None = Field(default=None, ge=1, le=16, description="A stream has one answer.")
    documents: list[JsonValue] | None = Field(default=None, description="As vLLM and Cohere take them: also sources.")
    response_format: dict[str, JsonValue] | None = Field(
        default=None, description="`text` only: sentences are verified, and an object has none."
    )
    citewell: ProxyOptions = Field(default=ProxyOptions(), description="Citewell's own options.")

    @field_validator("response_format")
    @classmethod
    def _of_sentences(cls, wanted: dict[str, JsonValue] | None) -> dict[str, JsonValue] | None:
        if wanted and wanted.get("type") != "text":
            raise ValueError("sentences are verified, and an object has none; leave it out")
        return wanted

    @model_validator(mode="after")
    def _one_stream(self) -> "GuardedCreate":
        if self.stream and (self.n or 1) > 1:
            raise ValueError("a stream has one answer; send n as 1, or stream as false")
        return self


class RemovedRead(BaseModel):
    """Words of the model that did not go out."""

    text: str
    reason: str
    instead: str | None = Field(description="What stands in their place; null: nothing.")


class GuardRead(BaseModel):
    """What the guard did."""

    action: Literal["none", "repaired", "blocked"] = Field(description="What became of the answer.")
    reason: str | None = Field(description="Why the answer is blocked.")
    removed: list[RemovedRead] = Field(description="Words that did not go out, in their order.")
    verifications: list[UUID] = Field(description="Read them at `/v1/verifications/{id}`.")


class GuardedCompletion(BaseModel):
    """The `chat.completion` of the model, with verified text; of its choices only tool calls are handed on besides."""

    model_config = ConfigDict(extra="allow")

    id: str | None = None
    choices: list[dict[str, Any]] = Field(description="As the model's, with the text that passed.")
    citewell: GuardRead
