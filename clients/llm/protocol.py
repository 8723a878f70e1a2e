"""What the rest of Citewell knows of language models: one Protocol, one request, one reply, and how it can fail."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from domain.judgements import Reply


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call. `prompt` names the file and `fields` fill it: a server gets the rendered text, `offline`
    reads the fields.

    `reply` is the schema of a structured reply, or None for prose. `timeout_s` bounds the whole call in seconds.
    """

    prompt: str
    fields: Mapping[str, object]
    model: str
    max_tokens: int
    timeout_s: float
    temperature: float = 0.0
    reply: type[Reply] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as billed; `completion_tokens` includes `reasoning_tokens`; `estimated` when the server told none."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A complete reply: `finish_reason` was given and was not a truncation. `model` is the one that answered."""

    text: str
    model: str
    usage: Usage
    finish_reason: str
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class StreamPart:
    """A piece of streamed prose, or, as the last part only, the complete `reply`."""

    text: str = ""
    reply: ModelReply | None = None


class ModelError(Exception):
    """A call that gave no usable reply. `usage` is what it cost nevertheless; `status` the HTTP status, if any."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        usage: Usage | None = None,
        request_id: str | None = None,
        text: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.usage = usage
        self.request_id = request_id
        self.text = text


class ModelUnavailable(ModelError):
    """Server error, capacity, connection, timeout, cut stream: the same request may work in a moment."""


class ModelRateLimited(ModelError):
    """429 that will pass; `retry_after_s` seconds as the server says, or None."""

    def __init__(
        self, message: str, *, retry_after_s: float | None = None, status: int = 429, request_id: str | None = None
    ) -> None:
        super().__init__(message, status=status, code="rate_limit_exceeded", request_id=request_id)
        self.retry_after_s = retry_after_s


class ModelReplyInvalid(ModelError):
    """The server answered, but not with what was asked: bad JSON, wrong schema, truncated, no choices, HTML."""


class ModelGone(ModelError):
    """404 model_not_found or 400 model_decommissioned: never again this id; use the fallback chain."""


class ModelRefused(ModelError):
    """Permanent for this request: wrong key, no permission, too large, invalid, spend cap reached."""


class ChatModel(Protocol):
    """A place where models run. Implementations never retry by themselves and raise only ModelError."""

    @property
    def provider(self) -> str:
        """The name that every result carries: `groq`, `offline`, …"""
        ...

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Ask once and return the whole reply. Raises ModelError."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[StreamPart]:
        """Ask once for prose; the last part carries the complete reply. Raises ModelError."""
        ...

    async def aclose(self) -> None:
        """Release connections."""
        ...


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One attempt at one model call, as it is stored (row A4): also the failed ones.

    `duration_ms` is wall time in milliseconds; `error` is None for a usable reply; `reply_text` is the raw reply.
    """

    provider: str
    model: str
    prompt: str
    prompt_version: str
    attempt: int
    duration_ms: float
    usage: Usage
    finish_reason: str | None = None
    request_id: str | None = None
    reply_text: str | None = None
    error: str | None = None
    status: int | None = None
    item: str = ""


@dataclass(slots=True)
class CallLog:
    """Collects the CallRecords of one step; they are stored in the same transaction as the step's outcome."""

    records: list[CallRecord] = field(default_factory=list[CallRecord])
