"""The interface to language models: one Protocol, one request, one reply, and the errors."""

import asyncio
import hashlib
import math
import time
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from citewell_verify.prompting.judgements import Reply
from citewell_verify.prompting.prompts import RenderedPrompt, asked_again, render


class PromptText:
    """A prompt with its fields filled in, rendered once for all uses. Every property raises PromptFieldMismatch.

    `fault` is the error in an earlier reply; it stands at the end, behind the part of a prompt that servers cache.
    """

    def __init__(self, prompt: str, fields: Mapping[str, object], fault: str = "") -> None:
        self._prompt = prompt
        self.fields = fields
        self._fault = fault

    def asked_again(self, fault: str) -> "PromptText":
        return PromptText(self._prompt, self.fields, fault)

    @cached_property
    def rendered(self) -> RenderedPrompt:
        prompt = render(self._prompt, self.fields)
        return asked_again(prompt, self._fault) if self._fault else prompt

    @cached_property
    def size(self) -> int:
        """Bytes of UTF-8."""
        return len(self.rendered.system.encode()) + len(self.rendered.user.encode())

    @cached_property
    def sha256(self) -> str:
        """The SHA-256, in hexadecimal, of the question: `system`, a NUL character and `user`, without a `fault`."""
        if self._fault:
            return PromptText(self._prompt, self.fields).sha256
        return hashlib.sha256(f"{self.rendered.system}\0{self.rendered.user}".encode()).hexdigest()


_UNRENDERED = PromptText("", {})


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call. `prompt` names the file and `fields` fill it: a server gets the rendered text, `offline` reads the
    fields.

    `reply` is the schema of a structured reply, or None for prose. `timeout_s` is how long the server may be silent;
    the whole call may take `whole_s`, which is `timeout_s` by default. `text` is passed in if it was rendered before.
    """

    prompt: str
    fields: Mapping[str, object]
    model: str
    max_tokens: int
    timeout_s: float
    temperature: float = 0.0
    reply: type[Reply] | None = None
    text: PromptText = field(default=_UNRENDERED, compare=False, repr=False)
    whole_s: float | None = None

    @property
    def limit_s(self) -> float:
        """Seconds that the whole call may take."""
        return self.timeout_s if self.whole_s is None else self.whole_s

    def __post_init__(self) -> None:
        if self.text is _UNRENDERED:
            object.__setattr__(self, "text", PromptText(self.prompt, self.fields))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as billed; `completion_tokens` includes `reasoning_tokens`; `estimated` if the server reported none."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Allowance:
    """The server's limits as reported with an answer: tokens per minute, requests per day. None if not reported."""

    limit_tokens: int | None = None
    remaining_tokens: int | None = None
    limit_requests: int | None = None
    remaining_requests: int | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A complete reply: `finish_reason` was given and was not a truncation. `model` is the model that answered."""

    text: str
    model: str
    usage: Usage
    finish_reason: str
    request_id: str | None = None
    allowance: Allowance | None = None


@dataclass(frozen=True, slots=True)
class StreamPart:
    """A piece of streamed prose; only the last part has the complete `reply` instead. `restarts`: the pieces before
    were no part of the reply, which begins with this piece.
    """

    text: str = ""
    reply: ModelReply | None = None
    restarts: bool = False


class ModelError(Exception):
    """A call without a usable reply. `usage` has the tokens that it used nevertheless; `status` is the HTTP status, if
    any; `retry_after_s` is the wait that the server named.
    """

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
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        self.allowance = allowance
        self.status = status
        self.code = code
        self.usage = usage
        self.request_id = request_id
        self.text = text


class ModelUnavailable(ModelError):
    """A server error, lack of capacity, failed connection, timeout or truncated stream: the same request may soon
    succeed.
    """


class ServerUnreachable(ModelUnavailable):
    """No connection was made: the address is unknown, nothing listens there, or its certificate is not trusted."""


class ModelTimedOut(ModelUnavailable):
    """The server was silent for too long, or the reply was not complete at its deadline."""


MORE_TIME = (
    "a slow model needs more time: raise models.call_timeout_s, models.deadline_s and budget.deadline_s, or the "
    "deadline_s of the question"
)
NO_FREE_SLOT = f"no free slot in time; {MORE_TIME}"


class NoFreeSlot(ModelUnavailable):
    """This process has too many calls in flight: nothing was sent, which says nothing about the model."""


class ModelRateLimited(ModelError):
    """A temporary 429. `retry_after_s` is the wait in seconds that the server names, or None."""

    def __init__(
        self,
        message: str,
        *,
        retry_after_s: float | None = None,
        status: int = 429,
        request_id: str | None = None,
        allowance: Allowance | None = None,
    ) -> None:
        super().__init__(
            message,
            status=status,
            code="rate_limit_exceeded",
            request_id=request_id,
            allowance=allowance,
            retry_after_s=retry_after_s,
        )


class ModelReplyInvalid(ModelError):
    """The server answered, but not as requested: bad JSON, wrong schema, truncated, no choices, HTML."""


class ModelGone(ModelError):
    """404 model_not_found or 400 model_decommissioned: do not call this id again; use the fallback chain."""


class ModelRefused(ModelError):
    """Permanent for this request: wrong key, no permission, too large, invalid, spend cap reached."""


class NotJudged(ModelRefused):
    """This judge cannot judge cases of this kind, whatever it is sent; users see only the message."""


class PromptCut(ModelRefused):
    """The server read only a part of the prompt, so that `reply` answers another question."""

    def __init__(self, window: int, reply: ModelReply) -> None:
        super().__init__(
            f"the server cut the prompt at {window:,} tokens; raise its context window (num_ctx in Ollama, --ctx-size "
            "in llama.cpp), or lower rerank.context_tokens",
            usage=reply.usage,
            request_id=reply.request_id,
            text=reply.text,
            allowance=reply.allowance,
        )
        self.window = window


class CallDeferred(Exception):
    """No call was made: the wait would have exceeded the caller's patience. Retry in `wait_s` seconds."""

    def __init__(self, wait_s: float, reason: str) -> None:
        super().__init__(f"{reason}; again in {wait_s:.1f} s")
        self.wait_s = wait_s
        self.reason = reason


class ChatModel(Protocol):
    """A place where models run. Implementations raise only ModelError. They retry by themselves only to leave out a
    parameter that the server refuses by name.
    """

    @property
    def provider(self) -> str:
        """The name in every result: `groq`, `offline`, …"""
        ...

    def reserves(self, request: ModelRequest) -> int:
        """The most tokens that a call may take: the estimate for the prompt, and the tokens allowed for the reply.

        0 when the call is free because it does not leave this process. Raises PromptFieldMismatch.
        """
        ...

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Ask once and return the whole reply. Raises ModelError."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[StreamPart]:
        """Ask once for prose; the last part carries the complete reply. Raises ModelError."""
        ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One attempt at a model call, successful or failed, as it is stored (row A4).

    `duration_ms` is wall time in milliseconds; `error` is None for a usable reply; `reply_text` is the raw reply.
    `kept`: the answer is from the reply cache, without a call. `hedged`: a second call, made because the first was
    late. `prompt_sha256`: see PromptText.
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
    """The requested model; `model` is the one that answered."""
    failure: str = ""
    """The kind of failure: the name of the ModelError."""
    ended_ns: int = field(default_factory=time.time_ns, compare=False)
    """Unix time in ns by this process's clock."""
    prompt_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one step's calls: their owner, priority and time.

    `scope` owns a cached reply that must not be shared (the query's id); if it is empty, nothing is cached. `ends_at`
    is a time of this process's monotonic clock, or None. `since` and `is_batch` determine priority (clients.limiter).
    Calls that would have to wait longer than `patience_s` raise CallDeferred; with None they wait, within the deadline.
    While models fail, such calls are put off until `last_try_at`, a time like `ends_at`, or until the failures have
    lasted for `outage_s` seconds. `fast` replaces the configured fast model.
    """

    scope: str = ""
    is_batch: bool = False
    since: float = 0.0
    ends_at: float | None = None
    patience_s: float | None = None
    last_try_at: float | None = None
    outage_s: float = math.inf
    fast: str | None = None


@dataclass(slots=True)
class CallLog:
    """Collects the CallRecords of one step; they are stored in the same transaction as the step's outcome."""

    records: list[CallRecord] = field(default_factory=list[CallRecord])
    terms: Terms = Terms()
    begun_as: Callable[[CallRecord], Mapping[str, Any]] | None = None
    """Makes the row that is stored before a call, if there is one; `has_begun` tells whether one was stored."""
    has_begun: bool = False
    ended_as: Callable[[CallRecord], Mapping[str, Any]] | None = None
    """Makes the part of a begun call's record that is stored with the reply, so that it outlives this process."""
    _pending: set[asyncio.Future[Any]] = field(default_factory=set[asyncio.Future[Any]], init=False, repr=False)

    @contextmanager
    def call_in_flight(self) -> Generator[None]:
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending.add(ended)
        try:
            yield
        finally:
            self._pending.discard(ended)
            ended.cancel()

    def wait_for(self, work: asyncio.Future[Any]) -> None:
        self._pending.add(work)
        work.add_done_callback(self._pending.discard)

    async def settled(self) -> None:
        """Wait until no call of this log is in flight and every reply is stored. Do not await it within such a call."""
        while self._pending:
            await asyncio.wait(set(self._pending))
