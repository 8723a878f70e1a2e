"""The guard as JSON: LiteLLM's Generic Guardrail API, and chat completions of another model (issue 44).

The guardrail ignores unknown fields; the proxy hands them on to the other model.
"""

from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from api.schemas.texts import Input, WorkspaceName


class GuardParameters(Input):
    """The policies that a gateway may choose, sent as `additional_provider_specific_params`; the settings decide the
    rest."""

    model_config = ConfigDict(extra="ignore")

    on_failure: Literal["repair", "block"] | None = Field(
        default=None, description="What happens to a sentence that the sources do not support."
    )
    on_unchecked: Literal["block", "pass"] | None = Field(
        default=None, description="What happens to text whose check failed."
    )
    without_sources: Literal["block", "pass"] | None = Field(
        default=None, description="What happens to an answer when its request brought no sources."
    )
    source_tools: list[str] | None = Field(
        default=None, description="The tools whose results are sources; empty: all tools."
    )
    attached_texts: bool | None = Field(
        default=None, description="Whether texts that a chat program put between marks into messages are sources."
    )
    workspace: WorkspaceName | None = Field(
        default=None, description="The workspace to search for sources when a request brings none."
    )


class GuardrailAsked(BaseModel):
    """A request or an answer of a gateway, as LiteLLM sends it."""

    model_config = ConfigDict(extra="ignore")

    input_type: Literal["request", "response"] = Field(
        description="`request`: its sources are stored and nothing is judged. `response`: `texts` are verified."
    )
    litellm_call_id: str | None = Field(
        default=None,
        max_length=200,
        description="The id that connects an answer with its request, whose sources the answer is verified against.",
    )
    texts: list[str] | None = Field(default=None, max_length=128, description="The texts of the answer.")
    structured_messages: list[JsonValue] | None = Field(
        default=None, description="The messages of the request: tool results and documents in them are the sources."
    )
    additional_provider_specific_params: GuardParameters | None = Field(
        default=None, description="The policies of this gateway."
    )


class GuardrailAnswered(BaseModel):
    """The guard's decision about a request or an answer."""

    action: Literal["NONE", "GUARDRAIL_INTERVENED", "BLOCKED"] = Field(
        description="`GUARDRAIL_INTERVENED`: `texts` replace the given texts."
    )
    blocked_reason: str | None = Field(default=None, description="Why nothing may be delivered.")
    texts: list[str] | None = Field(default=None, description="The replacement of each text.")
    stream_holdback_chars: list[int] | None = Field(
        default=None, description="For each text, the number of characters at its end that a stream has to hold back."
    )


class ProxyOptions(Input):
    """Citewell's own options of a guarded completion; they are not sent to the model."""

    workspace: WorkspaceName | None = Field(
        default=None, description="The workspace to search for sources when the request brings none."
    )
    documents: list[JsonValue] = Field(
        default=[],
        max_length=1_000,
        description="Sources in addition to those in the messages: texts, or objects with `text` and `title`.",
    )


class GuardedCreate(BaseModel):
    """A request for a chat completion of the model behind the proxy, which gets every field but `citewell`
    unchanged."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(description="A model of the server behind the proxy.", examples=["gpt-5-mini"])
    messages: list[JsonValue] = Field(
        min_length=1,
        examples=[[{"role": "tool", "content": "Returns: 30 days."}, {"role": "user", "content": "How long?"}]],
        description="The conversation: the answer is verified against the tool results and documents in it.",
    )
    stream: bool | None = Field(
        default=None, description="Send each sentence when it and all sentences before it have passed."
    )
    n: int | None = Field(default=None, ge=1, le=16, description="The number of answers; 1 in a stream.")
    documents: list[JsonValue] | None = Field(
        default=None, description="Further sources, in the form that vLLM and Cohere accept."
    )
    response_format: dict[str, JsonValue] | None = Field(
        default=None, description="Only the type `text`: the guard verifies sentences, and an object has none."
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
    """Words of the model that were not delivered."""

    text: str
    reason: str
    instead: str | None = Field(description="The words in their place; null: none.")


class GuardRead(BaseModel):
    """The guard's report on an answer."""

    action: Literal["none", "repaired", "blocked"] = Field(description="What happened to the answer.")
    reason: str | None = Field(description="Why the answer is blocked.")
    removed: list[RemovedRead] = Field(description="The words that were not delivered, in their order.")
    verifications: list[UUID] = Field(
        description="The ids of the verifications, to be read at `/v1/verifications/{id}`."
    )


class GuardedCompletion(BaseModel):
    """The `chat.completion` of the model with verified text; besides the text, only the tool calls of its choices are
    handed on."""

    model_config = ConfigDict(extra="allow")

    id: str | None = None
    choices: list[dict[str, Any]] = Field(description="The model's choices, with the text that passed.")
    citewell: GuardRead
