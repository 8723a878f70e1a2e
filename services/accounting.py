"""From recorded calls to ledger rows with their price."""

from collections.abc import Mapping, Sequence
from typing import Any

from clients.llm.pricing import cost_usd
from clients.llm.protocol import CallRecord
from config.models import ModelInfo
from services.step import StepContext


def model_call_rows(
    calls: Sequence[CallRecord], context: StepContext, step: str, catalogue: Mapping[str, ModelInfo]
) -> list[dict[str, Any]]:
    """Columns of `ModelCall` per call, failed attempts included."""
    return [
        {
            "query_id": str(context.query.id),
            "round": context.round,
            "step": step,
            "item": call.item,
            "provider": call.provider,
            "model": call.model,
            "prompt": call.prompt,
            "prompt_version": call.prompt_version,
            "attempt": call.attempt,
            "status": call.status,
            "error": call.error,
            "finish_reason": call.finish_reason,
            "request_id": call.request_id,
            "prompt_tokens": call.usage.prompt_tokens,
            "cached_tokens": call.usage.cached_tokens,
            "completion_tokens": call.usage.completion_tokens,
            "reasoning_tokens": call.usage.reasoning_tokens,
            "estimated": call.usage.estimated,
            "cost_usd": str(cost_usd(call.model, call.usage, catalogue)),
            "duration_ms": call.duration_ms,
            "reply_text": call.reply_text,
            "kept": call.kept,
            "hedged": call.hedged,
            "prompt_sha256": call.prompt_sha256,
        }
        for call in calls
    ]
