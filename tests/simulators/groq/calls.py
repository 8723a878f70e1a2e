"""A chat completion request, checked as strictly as the provider does."""

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tests.simulators.groq import errors
from tests.simulators.groq.catalogue import ModelSpec
from tests.simulators.groq.schema import strict_fault


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Message(_Strict):
    role: Literal["system", "user", "assistant"]
    content: str


class JsonSchema(_Strict):
    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    schema_: dict[str, Any] = Field(alias="schema")
    strict: bool = False
    description: str | None = None


class ResponseFormat(_Strict):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None


class StreamOptions(_Strict):
    include_usage: bool = False


class ChatRequest(_Strict):
    """The fields that the provider accepts; any other is refused by name."""

    model: str
    messages: list[Message] = Field(min_length=1)
    temperature: float = Field(default=1.0, ge=0, le=2)
    top_p: float = Field(default=1.0, ge=0, le=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    max_tokens: int | None = Field(default=None, ge=1)
    n: Literal[1] = 1
    stop: str | list[str] | None = None
    seed: int | None = None
    user: str | None = None
    stream: bool = False
    stream_options: StreamOptions = StreamOptions()
    response_format: ResponseFormat = ResponseFormat(type="text")
    reasoning_effort: str | None = None
    reasoning_format: Literal["hidden", "raw", "parsed"] | None = None
    include_reasoning: bool | None = None
    service_tier: Literal["auto", "on_demand", "flex", "performance"] | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """An accepted request with its counts."""

    request: ChatRequest
    spec: ModelSpec
    prompt_tokens: int

    @property
    def system(self) -> str:
        return "\n".join(m.content for m in self.request.messages if m.role == "system")

    @property
    def instructions(self) -> str:
        """The system text, or what stands for it: some servers take no message of this role."""
        return self.system or self.user

    @property
    def user(self) -> str:
        return "\n".join(m.content for m in self.request.messages if m.role != "system")

    @property
    def max_tokens(self) -> int:
        return self.request.max_completion_tokens or self.request.max_tokens or self.spec.max_completion

    @property
    def schema(self) -> dict[str, Any] | None:
        wanted = self.request.response_format.json_schema
        return wanted.schema_ if wanted else None

    @property
    def digest(self) -> str:
        """The same 16 hex digits for the same messages to the same model."""
        text = self.request.model + "".join(f"\0{m.role}\0{m.content}" for m in self.request.messages)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def prefixes(self, block: int) -> list[str]:
        """Digests of the prompt's first `block` tokens, of its first 2 * `block`, … in whole blocks.

        The schema comes first, as in the chat template; the texts follow in their order.
        """
        schema = [json.dumps(self.schema)] if self.schema else []
        texts = schema + [f"{message.role}\0{message.content}" for message in self.request.messages]
        whole, size, digest = "\0".join(texts).encode(), 4 * block, hashlib.sha256()
        found: list[str] = []
        for start in range(0, min(len(whole), 4 * self.prompt_tokens) // size * size, size):
            digest.update(whole[start : start + size])
            found.append(digest.hexdigest())
        return found


def read_call(raw: bytes, served: dict[str, ModelSpec]) -> Call:
    """Check a request body. Raises ApiError as the provider would."""
    try:
        request = ChatRequest.model_validate_json(raw)
    except ValidationError as error:
        raise errors.invalid(_complaint(error)) from None
    spec = served.get(request.model)
    if spec is None:
        raise errors.model_not_found(request.model)
    _check_features(request, spec)
    call = Call(request, spec, _prompt_tokens(request))
    if (request.max_completion_tokens or 0) > spec.max_completion:
        raise errors.invalid(f"`max_completion_tokens` must be less than or equal to `{spec.max_completion}`")
    if call.prompt_tokens > spec.context_window:
        raise errors.context_exceeded()
    return call


def count_tokens(text: str) -> int:
    """A token per four bytes of UTF-8, rounded up."""
    return -(-len(text.encode()) // 4)


def _prompt_tokens(request: ChatRequest) -> int:
    # The chat template costs tokens that no caller sees, so that a guess from the text alone is never exact.
    schema = request.response_format.json_schema
    overhead = 3 + (count_tokens(json.dumps(schema.schema_)) if schema else 0)
    return overhead + sum(4 + count_tokens(message.content) for message in request.messages)


def _complaint(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        return f"property '{where}' is unsupported"
    return f"'{where}' : {first['msg']}"


def _check_features(request: ChatRequest, spec: ModelSpec) -> None:
    form = request.response_format
    if request.reasoning_effort is not None and not spec.efforts:
        raise errors.invalid("`reasoning_effort` is not supported with this model")
    if request.reasoning_effort is not None and request.reasoning_effort not in spec.efforts:
        raise errors.invalid(f"`reasoning_effort` must be one of {', '.join(f'`{e}`' for e in spec.efforts)}")
    if form.type == "json_object" and not any(re.search("json", m.content, re.IGNORECASE) for m in request.messages):
        raise errors.invalid(
            "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
        )
    if form.type == "json_schema":
        _check_schema(request, spec)


def _check_schema(request: ChatRequest, spec: ModelSpec) -> None:
    wanted = request.response_format.json_schema
    if not spec.json_schema:
        raise errors.invalid("This model does not support response format `json_schema`.")
    if wanted is None:
        raise errors.invalid("'response_format.json_schema' : Field required")
    if request.stream:
        raise errors.invalid("response format `json_schema` is not supported with streaming")
    if wanted.strict and (fault := strict_fault(wanted.schema_)):
        raise errors.invalid(f"invalid JSON schema for response_format: '{wanted.name}': {fault}")
