"""Makes CallRecords from calls, and computes what a call costs."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from citewell_verify.prompting.prompts import prompt_version
from clients.llm.calling.reply_cache import CachedReply
from clients.llm.protocol import CallRecord, ModelError, ModelReply, ModelRequest, PromptText, Usage
from config.models import ModelInfo


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


_PER_MILLION = Decimal(1_000_000)
_RESOLUTION = Decimal("1e-9")


def cost_usd(model: str, usage: Usage, catalogue: Mapping[str, ModelInfo]) -> Decimal:
    """US dollars with nine decimals; a model missing from the catalogue is free.

    Reasoning tokens are part of the completion; cached tokens are part of the prompt, at their own price if they have
    one.
    """
    info = catalogue.get(model, ModelInfo())
    price_cached = info.price_in if info.price_cached is None else info.price_cached
    cached = min(usage.cached_tokens, usage.prompt_tokens)
    total = (
        (usage.prompt_tokens - cached) * Decimal(str(info.price_in))
        + cached * Decimal(str(price_cached))
        + usage.completion_tokens * Decimal(str(info.price_out))
    )
    return (total / _PER_MILLION).quantize(_RESOLUTION)
