"""What the rest of Citewell knows of language models: one Protocol, one request, one reply, and how it can fail."""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from domain.judgements import Reply
from domain.prompts import RenderedPrompt, render


class PromptText:
    """A prompt with its fields filled in, once for all that need the text. Everything raises PromptFieldMismatch."""

    def __init__(self, prompt: str, fields: Mapping[str, object]) -> None:
        self._prompt = prompt
        self.fields = fields

    @cached_property
    def rendered(self) -> RenderedPrompt:
        """The text, as a model gets it."""
        return render(self._prompt, self.fields)

    @cached_property
    def size(self) -> int:
        """Bytes of UTF-8."""
        return len(self.rendered.system.encode()) + len(self.rendered.user.encode())

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of all that a model is shown, `system`, a NUL character and `user`, in hexadecimal."""
        return hashlib.sha256(f"{self.rendered.system}\0{self.rendered.user}".encode()).hexdigest()


_UNRENDERED = PromptText("", {})


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call. `prompt` names the file and `fields` fill it: a server gets the rendered text, `offline`
    reads the fields.

    `reply` is the schema of a structured reply, or None for prose. `timeout_s` bounds the whole call in seconds.
    `text` is handed over where it was rendered before.
    """

    prompt: str
    fields: Mapping[str, object]
    model: str
    max_tokens: int
    timeout_s: float
    temperature: float = 0.0
    reply: type[Reply] | None = None
    text: PromptText = field(default=_UNRENDERED, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.text is _UNRENDERED:
            object.__setattr__(self, "text", PromptText(self.prompt, self.fields))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as billed; `completion_tokens` includes `reasoning_tokens`; `estimated` when the server told none."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Allowance:
    """What the server said of its limits with an answer: tokens per minute, requests per day. None: it did not say."""

    limit_tokens: int | None = None
    remaining_tokens: int | None = None
    limit_requests: int | None = None
    remaining_requests: int | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A complete reply: `finish_reason` was given and was not a truncation. `model` is the one that answered."""

    text: str
    model: str
    usage: Usage
    finish_reason: str
    request_id: str | None = None
    allowance: Allowance | None = None


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
        allowance: Allowance | None = None,
    ) -> None:
        super().__init__(message)
        self.allowance = allowance
        self.status = status
        self.code = code
        self.usage = usage
        self.request_id = request_id
        self.text = text


class ModelUnavailable(ModelError):
    """Server error, capacity, connection, timeout, cut stream: the same request may work in a moment."""


class NoFreeSlot(ModelUnavailable):
    """This process has too many calls in flight: nothing was sent, so it says nothing of the model."""


class ModelRateLimited(ModelError):
    """429 that will pass; `retry_after_s` seconds as the server says, or None."""

    def __init__(
        self,
        message: str,
        *,
        retry_after_s: float | None = None,
        status: int = 429,
        request_id: str | None = None,
        allowance: Allowance | None = None,
    ) -> None:
        super().__init__(message, status=status, code="rate_limit_exceeded", request_id=request_id, allowance=allowance)
        self.retry_after_s = retry_after_s


class ModelReplyInvalid(ModelError):
    """The server answered, but not with what was asked: bad JSON, wrong schema, truncated, no choices, HTML."""


class ModelGone(ModelError):
    """404 model_not_found or 400 model_decommissioned: never again this id; use the fallback chain."""


class ModelRefused(ModelError):
    """Permanent for this request: wrong key, no permission, too large, invalid, spend cap reached."""


class CallDeferred(Exception):
    """No call was made: it would have had to wait for longer than its caller's patience. Come again in `wait_s`."""

    def __init__(self, wait_s: float, reason: str) -> None:
        super().__init__(f"{reason}; again in {wait_s:.1f} s")
        self.wait_s = wait_s
        self.reason = reason


class ChatModel(Protocol):
    """A place where models run. Implementations never retry by themselves and raise only ModelError."""

    @property
    def provider(self) -> str:
        """The name that every result carries: `groq`, `offline`, …"""
        ...

    def reserves(self, request: ModelRequest) -> int:
        """Tokens that a call may take at most: the prompt's, estimated, and those allowed to the reply.

        0 when the call costs nothing because it does not leave this process. Raises PromptFieldMismatch.
        """
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
    `kept`: no call was made, an earlier reply answered. `hedged`: a second call for an attempt whose first was late.
    `prompt_sha256`: see PromptText.
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
    kept: bool = False
    hedged: bool = False
    asked: str = ""
    """The model that was asked for; `model` is the one that answered."""
    failure: str = ""
    """The kind of the failure: the name of the ModelError."""
    ended_ns: int = field(default_factory=time.time_ns, compare=False)
    """Unix time in ns by this process's clock."""
    prompt_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """For whom, and until when, the calls of one step are made.

    `scope` is what a kept reply belongs to when it may not be shared (the query's id); empty: keep nothing. `ends_at`
    is a time of this process's monotonic clock, or None. `since` and `is_batch` say who goes first (clients.limiter).
    Calls that would have to wait longer than `patience_s` raise CallDeferred; None waits, within the deadline.
    `fast` stands in for the configured fast model.
    """

    scope: str = ""
    is_batch: bool = False
    since: float = 0.0
    ends_at: float | None = None
    patience_s: float | None = None
    fast: str | None = None


@dataclass(slots=True)
class CallLog:
    """Collects the CallRecords of one step; they are stored in the same transaction as the step's outcome."""

    records: list[CallRecord] = field(default_factory=list[CallRecord])
    terms: Terms = Terms()
    begun_as: Callable[[CallRecord], Mapping[str, Any]] | None = None
    """Makes what is written down of a call before it is made, if anything is; `has_begun` says that it was."""
    has_begun: bool = False
    _pending: set[asyncio.Future[Any]] = field(default_factory=set[asyncio.Future[Any]], init=False, repr=False)

    @contextmanager
    def call_in_flight(self) -> Generator[None]:
        """Until the end of the block `settled` waits."""
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending.add(ended)
        try:
            yield
        finally:
            self._pending.discard(ended)
            ended.cancel()

    def wait_for(self, work: asyncio.Future[Any]) -> None:
        """Until the end of `work` `settled` waits."""
        self._pending.add(work)
        work.add_done_callback(self._pending.discard)

    async def settled(self) -> None:
        """Wait until no call of this log is in flight and every reply is kept. Not from within such a call."""
        while self._pending:
            await asyncio.wait(set(self._pending))
