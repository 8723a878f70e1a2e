"""Builds ledger rows, with their price, for finished and starting model calls."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from clients.llm.calling.recording import cost_usd
from clients.llm.protocol import CallRecord
from config.models import ModelInfo
from services.core.context import StepContext


def model_call_rows(
    calls: Sequence[CallRecord],
    context: StepContext,
    step: str,
    catalogue: Mapping[str, ModelInfo],
    execution: uuid.UUID | None = None,
) -> list[dict[str, Any]]:
    """Columns of `ModelCall` per call, failed attempts included; those of one `execution` are stored once."""
    return [
        {
            "query_id": str(context.query.id),
            "round": context.round,
            "step": step,
            "item": call.item,
            "provider": call.provider,
            "model": _storable(call.model),
            "prompt": call.prompt,
            "prompt_version": call.prompt_version,
            "attempt": call.attempt,
            "status": call.status,
            "error": _storable(call.error),
            "finish_reason": _storable(call.finish_reason),
            "request_id": _storable(call.request_id),
            "prompt_tokens": call.usage.prompt_tokens,
            "cached_tokens": call.usage.cached_tokens,
            "completion_tokens": call.usage.completion_tokens,
            "reasoning_tokens": call.usage.reasoning_tokens,
            "estimated": call.usage.estimated,
            "cost_usd": str(cost_usd(call.model, call.usage, catalogue)),
            "duration_ms": call.duration_ms,
            "reply_text": _storable(call.reply_text),
            "kept": call.kept,
            "hedged": call.hedged,
            "prompt_sha256": call.prompt_sha256,
            "execution": execution and str(execution),
        }
        for call in calls
    ]


def begun_rows(
    context: StepContext, step: str, token: uuid.UUID, worker: str, catalogue: Mapping[str, ModelInfo]
) -> Callable[[CallRecord], dict[str, Any]]:
    def begun(call: CallRecord) -> dict[str, Any]:
        [row] = model_call_rows([call], context, step, catalogue)
        place = {name: row[name] for name in ("query_id", "round", "step")}
        return {**place, "token": str(token), "worker": worker, "call": row}

    return begun


_KNOWN_AT_ITS_END = (
    *("model", "attempt", "error", "finish_reason", "request_id", "prompt_tokens", "cached_tokens"),
    *("completion_tokens", "reasoning_tokens", "estimated", "cost_usd", "duration_ms", "hedged", "execution"),
)


def ended_rows(
    context: StepContext, step: str, token: uuid.UUID, catalogue: Mapping[str, ModelInfo]
) -> Callable[[CallRecord], dict[str, Any]]:
    def ended(call: CallRecord) -> dict[str, Any]:
        [row] = model_call_rows([call], context, step, catalogue, token)
        place = {"query_id": row["query_id"], "token": str(token)}
        known = {name: row[name] for name in _KNOWN_AT_ITS_END}
        return {**place, "item": call.item, "prompt_sha256": call.prompt_sha256, "call": known}

    return ended


def _storable(text: str | None) -> str | None:
    """The text without what Postgres cannot store: one such character from a server must not cost the row."""
    return text and text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
