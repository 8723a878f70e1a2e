"""Reports model calls as metrics and spans. Call it when the calls are stored: each stored call is reported once."""

from collections.abc import Mapping, Sequence

from opentelemetry.context import Context
from opentelemetry.trace import SpanKind

from clients.llm.calling.recording import cost_usd
from clients.llm.protocol import CallRecord
from clients.telemetry import families, tracing
from clients.telemetry.meter import METER
from config.models import ModelInfo

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
        METER.count(families.KEPT_REPLIES, *which)
        return
    usage = call.usage
    METER.count(families.MODEL_CALLS, *which, _RESULTS.get(call.failure, "unavailable"))
    METER.observe(families.MODEL_SECONDS, call.duration_ms / 1000, *which)
    METER.count(families.MODEL_TOKENS, *which, "prompt", by=usage.prompt_tokens)
    METER.count(families.MODEL_TOKENS, *which, "cached", by=usage.cached_tokens)
    METER.count(families.MODEL_TOKENS, *which, "completion", by=usage.completion_tokens)
    METER.count(families.MODEL_COST, *which, by=float(cost_usd(call.model, usage, prices)))
    if call.hedged:
        METER.count(families.HEDGED_CALLS, *which)


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
