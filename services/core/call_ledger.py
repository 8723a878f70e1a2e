"""The model calls of a step: their priority at the gateway, their records and their metrics.

A request states whether a person waits for it with `Citewell-Priority: interactive` or `batch`; the dashboard, the
command line and the tools of `citewell mcp` do so. A request without the header counts as interactive until a few
queries of the same key are in progress. Work that no request asked for, such as the re-verification of stored answers,
counts as scripted.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from enum import StrEnum
from typing import Any

from opentelemetry.context import Context
from opentelemetry.trace import SpanKind
from sqlalchemy.orm import Session

from clients.llm.calling.request import cost_usd
from clients.llm.protocol import CallRecord
from clients.telemetry import meter, tracing
from clients.telemetry.meter import METER
from config.models import ModelInfo
from db.base import row_json
from db.queries.runs.queries import count_in_flight
from db.session import acting
from services.core.context import StepContext

HEADER = "Citewell-Priority"
FEW = 3
"""With this many queries of one key in progress, further requests without the header count as scripted."""


class Priority(StrEnum):
    """The values of the header."""

    INTERACTIVE = "interactive"
    BATCH = "batch"


_priority: ContextVar[Priority | None] = ContextVar("priority", default=Priority.BATCH)


def set_priority(priority: Priority | None) -> None:
    """Store queries with this value of the header, None if it is absent, until the end of the current context."""
    _priority.set(priority)


def requester_columns(session: Session) -> dict[str, Any]:
    """Return the columns of a new query; to be called in the transaction that stores it."""
    priority, actor = _priority.get(), acting().actor
    is_scripted = priority is Priority.BATCH
    if priority is None:
        is_scripted = count_in_flight(session, actor, FEW) >= FEW
    return {"is_scripted": is_scripted, "asked_by": actor}


_RESULTS = {
    "": "ok",
    "ModelRateLimited": "rate_limited",
    "ModelRefused": "refused",
    "ModelGone": "refused",
    "NotJudged": "refused",
    "ModelReplyInvalid": "invalid",
}


def report_calls(calls: Sequence[CallRecord], prices: Mapping[str, ModelInfo], within: Context | None = None) -> None:
    for call in calls:
        _count(call, prices)
        if tracing.is_on():
            _trace(call, within)


def _count(call: CallRecord, prices: Mapping[str, ModelInfo]) -> None:
    which = call.model, call.prompt
    if call.kept:
        METER.count(meter.KEPT_REPLIES, *which)
        return
    usage = call.usage
    METER.count(meter.MODEL_CALLS, *which, _RESULTS.get(call.failure, "unavailable"))
    METER.observe(meter.MODEL_SECONDS, call.duration_ms / 1000, *which)
    METER.count(meter.MODEL_TOKENS, *which, "prompt", by=usage.prompt_tokens)
    METER.count(meter.MODEL_TOKENS, *which, "cached", by=usage.cached_tokens)
    METER.count(meter.MODEL_TOKENS, *which, "completion", by=usage.completion_tokens)
    METER.count(meter.MODEL_COST, *which, by=float(cost_usd(call.model, usage, prices)))
    if call.hedged:
        METER.count(meter.HEDGED_CALLS, *which)


def _trace(call: CallRecord, within: Context | None) -> None:
    usage, asked = call.usage, call.asked or call.model
    attributes: dict[str, tracing.Value] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": call.provider,
        "gen_ai.request.model": asked,
        "gen_ai.response.model": call.model,
        "gen_ai.usage.input_tokens": usage.prompt_tokens,
        "gen_ai.usage.output_tokens": usage.completion_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
        "citewell.purpose": call.prompt,
        "citewell.prompt_version": call.prompt_version,
        "citewell.item": call.item,
        "citewell.attempt": call.attempt,
        "citewell.kept": call.kept,
        "citewell.hedged": call.hedged,
    }
    if call.finish_reason:
        attributes["gen_ai.response.finish_reasons"] = [call.finish_reason]
    if call.status is not None:
        attributes["http.response.status_code"] = call.status
    began = call.ended_ns - int(call.duration_ms * 1e6)
    error = call.failure or None
    tracing.past_span(
        f"chat {asked}", began, call.ended_ns, attributes, within=within, kind=SpanKind.CLIENT, error=error
    )


_OF_SERVERS = ("model", "error", "finish_reason", "request_id", "reply_text")
"""Texts of a call that a server chose, and that may have characters that Postgres cannot store."""


def model_call_rows(
    calls: Sequence[CallRecord],
    context: StepContext,
    step: str,
    catalogue: Mapping[str, ModelInfo],
    execution: uuid.UUID | None = None,
) -> list[dict[str, Any]]:
    """Return the columns of `ModelCall` per call, failed attempts included; the calls of one `execution` are stored
    once."""
    return [
        {
            "query_id": str(context.query.id),
            "round": context.round,
            "step": step,
            **row_json(
                call, "item provider prompt prompt_version prompt_sha256 attempt status duration_ms kept hedged"
            ),
            **{name: _storable(getattr(call, name)) for name in _OF_SERVERS},
            **row_json(call.usage, "prompt_tokens cached_tokens completion_tokens reasoning_tokens estimated"),
            "cost_usd": str(cost_usd(call.model, call.usage, catalogue)),
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
    """Return the text without characters that Postgres cannot store, so that one such character from a server does not
    cost the whole row."""
    return text and text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
