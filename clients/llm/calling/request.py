"""A question to the models, independent of the model that answers, with the reading of its reply and the record of its
cost.
"""

import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Generic, TypeVar

from citewell_verify.prompting.judgements import Judgement, Reply
from citewell_verify.prompting.prompts import prompt_version
from citewell_verify.prompting.reply_reading import ReplyUnreadable, read_reply
from clients.llm.calling.reply_cache import CachedReply, Task
from clients.llm.protocol import (
    CallLog,
    CallRecord,
    ChatModel,
    ModelError,
    ModelReply,
    ModelReplyInvalid,
    ModelRequest,
    ModelUnavailable,
    PromptText,
    Usage,
)
from config.models import ModelInfo

T = TypeVar("T")
R = TypeVar("R", bound=Reply)


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """`fetch` makes one call; `read` turns a reply into the value or raises ModelReplyInvalid.

    `key` is the cache key of a usable reply, None for no caching. `on_text` receives a text as it grows. `text` is the
    task's prompt with its fields, rendered once for all attempts.
    """

    task: Task
    text: PromptText
    fetch: Callable[[ModelRequest], Coroutine[Any, Any, ModelReply]]
    read: Callable[[ModelReply], T]
    log: CallLog
    item: str = ""
    key: bytes | None = None
    on_text: Callable[[str], None] | None = None

    def request(self, model: str, max_tokens: int, timeout_s: float, *, fault: str = "") -> ModelRequest:
        """The request to `model`. `fault` is the error in an earlier reply; it is shown to the model, because at
        temperature 0 the same prompt would mostly give the same reply.
        """
        return ModelRequest(
            prompt=self.task.name,
            fields=self.text.fields,
            model=model,
            max_tokens=max_tokens,
            timeout_s=timeout_s,
            temperature=self.task.temperature,
            reply=self.task.reply if isinstance(self.task, Judgement) else None,
            text=self.text.asked_again(fault) if fault and isinstance(self.task, Judgement) else self.text,
        )


def read_judgement(schema: type[R], reply: ModelReply) -> R:
    """The reply, validated against its schema. Raises ModelReplyInvalid."""
    try:
        return read_reply(schema, reply.text)
    except ReplyUnreadable as error:
        raise ModelReplyInvalid(
            f"the reply does not fit: {error}",
            usage=reply.usage,
            request_id=reply.request_id,
            text=reply.text,
            allowance=reply.allowance,
        ) from None


async def read_stream(model: ChatModel, request: ModelRequest, on_text: Callable[[str], None] | None) -> ModelReply:
    """Read a stream to its end; `on_text` gets the whole text so far each time it grows. Raises ModelError."""
    text, reply = "", None
    async for part in model.stream(request):
        reply = part.reply
        text = part.text if part.restarts else text + part.text
        if on_text and part.text:
            on_text(text)
    if reply is None:
        raise ModelUnavailable("the stream ended without its last part")
    return reply


@dataclass(frozen=True, slots=True)
class Recorder:
    """Makes the record of one call that began at `started`, and passes it to `add` at the end."""

    add: Callable[[CallRecord], None]
    provider: str
    request: ModelRequest
    item: str
    attempt: int
    hedged: bool
    started: float

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    def ended(self, outcome: ModelReply | ModelError) -> None:
        self.add(self.record_of(outcome))

    def record_of(self, outcome: ModelReply | ModelError) -> CallRecord:
        failed = isinstance(outcome, ModelError)
        return CallRecord(
            provider=self.provider,
            model=self.request.model if failed else outcome.model,
            prompt=self.request.prompt,
            prompt_version=prompt_version(self.request.prompt),
            attempt=self.attempt,
            duration_ms=self.seconds * 1000,
            usage=outcome.usage or Usage(),
            finish_reason=None if failed else outcome.finish_reason,
            request_id=outcome.request_id,
            reply_text=outcome.text,
            error=str(outcome) if failed else None,
            status=outcome.status if failed else None,
            item=self.item,
            hedged=self.hedged,
            asked=self.request.model,
            failure=type(outcome).__name__ if failed else "",
            prompt_sha256=self.request.text.sha256,
        )


def begun_record(request: ModelRequest, provider: str, item: str, reserved: int) -> CallRecord:
    """The record of a call whose outcome stays unknown; `reserved` is the most tokens that it may have taken."""
    return CallRecord(
        provider=provider,
        model=request.model,
        prompt=request.prompt,
        prompt_version=prompt_version(request.prompt),
        attempt=1,
        duration_ms=0.0,
        usage=Usage(max(0, reserved - request.max_tokens), min(reserved, request.max_tokens), estimated=True),
        error="its process was killed: whether it was made and how it ended is not known",
        item=item,
        asked=request.model,
        failure="Unknown",
        prompt_sha256=request.text.sha256,
    )


def cached_record(
    reply: CachedReply, prompt: str, text: PromptText, provider: str, item: str, seconds: float
) -> CallRecord:
    return CallRecord(
        provider=provider,
        model=reply.model,
        prompt=prompt,
        prompt_version=prompt_version(prompt),
        attempt=1,
        duration_ms=seconds * 1000,
        usage=Usage(),
        finish_reason="stop",
        reply_text=reply.text,
        item=item,
        kept=True,
        prompt_sha256=text.sha256,
    )


_FREE = ModelInfo()
_PER_MILLION = Decimal(1_000_000)
_RESOLUTION = Decimal("1e-9")


def cost_usd(model: str, usage: Usage, catalogue: Mapping[str, ModelInfo]) -> Decimal:
    """The cost in US dollars with nine decimals; a model missing from the catalogue is free.

    Reasoning tokens are part of the completion; cached tokens are part of the prompt, at their own price if there is
    one.
    """
    info = catalogue.get(model, _FREE)
    price_cached = info.price_in if info.price_cached is None else info.price_cached
    cached = min(usage.cached_tokens, usage.prompt_tokens)
    total = (
        (usage.prompt_tokens - cached) * Decimal(str(info.price_in))
        + cached * Decimal(str(price_cached))
        + usage.completion_tokens * Decimal(str(info.price_out))
    )
    return (total / _PER_MILLION).quantize(_RESOLUTION)
