"""Traces: one per request, through every process that works on it.

Rows of asynchronous work store the request's `traceparent`, from which their spans continue. Without an endpoint there
is no SDK and there are no spans: a caller's traceparent is then only passed on and logged.
"""

import threading
import time
import uuid
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from os import environ
from typing import Any

import structlog
from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry._logs import LogRecord
from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext, SpanKind, Status, StatusCode, TraceFlags
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from config.serving import TracingSettings
from config.settings import ConfigurationInvalid

Value = str | int | float | bool | Sequence[str]
Attributes = Mapping[str, Value]

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_LAST_SPANS_S = 2.0
_W3C = TraceContextTextMapPropagator()


@dataclass(slots=True)
class _State:
    provider: Any = None
    tracer: Any = None
    events: Any = None
    """The provider of event records, if scores are told."""


_state = _State()


def start_tracing(settings: TracingSettings, process: str) -> None:
    """Export this process's spans, if there is an endpoint; call it after fork, once.

    Raises ConfigurationInvalid when the extra `tracing` is needed and not installed.
    """
    wanted = settings.endpoint or any(environ.get(name) for name in _ENDPOINTS)
    if not wanted or environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return
    try:
        sdk = import_module("clients.telemetry.sdk")
    except ImportError as error:
        advice = 'pip install "citewell[tracing]", or unset OTEL_EXPORTER_OTLP_ENDPOINT and tracing.endpoint'
        raise ConfigurationInvalid(
            f"tracing.endpoint: traces need OpenTelemetry's SDK and exporter: {advice}"
        ) from error
    use_provider(sdk.make_provider(settings.endpoint, process))
    _state.events = sdk.make_event_provider(settings.endpoint, process) if settings.evaluations else None


def use_provider(provider: Any) -> None:
    """Make spans with an SDK's provider; None disables spans."""
    _state.provider = provider
    _state.tracer = None if provider is None else provider.get_tracer("citewell")


def stop_tracing() -> None:
    """Send the remaining spans, but only for a moment: a collector that is down delays nothing."""
    providers = _state.provider, _state.events
    use_provider(None)
    _state.events = None
    for provider in providers:
        if provider is not None:
            ending = threading.Thread(target=provider.shutdown, name="last-spans", daemon=True)
            ending.start()
            ending.join(_LAST_SPANS_S)


def is_on() -> bool:
    return _state.tracer is not None


def tells_events() -> bool:
    return _state.events is not None


def event(name: str, attributes: Attributes) -> None:
    """Send an event record that belongs to the current span (OTLP logs), from a thread; does nothing without events."""
    if _state.events is not None:
        record = LogRecord(event_name=name, attributes=dict(attributes), timestamp=time.time_ns())
        _state.events.get_logger("citewell").emit(record)


def trace_id_of(parent: str | None) -> str | None:
    """The trace id in a stored `traceparent`, 32 hex digits."""
    context = _read(parent)
    return f"{context.trace_id:032x}" if context else None


def traceparent() -> str | None:
    current = trace.get_current_span().get_span_context()
    if not current.is_valid:
        return None
    return f"00-{current.trace_id:032x}-{current.span_id:016x}-{current.trace_flags:02x}"


@contextmanager
def following(parent: str | None, row_id: uuid.UUID) -> Generator[None]:
    """Continue the trace of a stored `parent` for the length of the block, and log its id.

    Work without a `parent` (an item of a batch, or a row accepted while traces were off) has a trace of its own, whose
    id is that of the row: no viewer could show thousands of items in the trace of one request.
    """
    context = _read(parent) or (_own(row_id) if is_on() else None)
    if context is None:
        yield
        return
    token = contexts.attach(trace.set_span_in_context(NonRecordingSpan(context)))
    try:
        with structlog.contextvars.bound_contextvars(trace_id=f"{context.trace_id:032x}"):
            yield
    finally:
        contexts.detach(token)


@contextmanager
def span(name: str, attributes: Attributes | None = None, kind: SpanKind = SpanKind.INTERNAL) -> Generator[Span]:
    if _state.tracer is None:
        yield trace.INVALID_SPAN
        return
    with _state.tracer.start_as_current_span(
        name, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as begun:
        try:
            yield begun
        except BaseException as error:
            fail(begun, type(error).__name__)
            raise


@contextmanager
def request_span(method: str, headers: Mapping[str, str]) -> Generator[Span]:
    if _state.tracer is None and "traceparent" not in headers:
        yield trace.INVALID_SPAN
        return
    caller = _W3C.extract({name: headers[name] for name in ("traceparent", "tracestate") if name in headers})
    token = contexts.attach(caller)
    try:
        with span(method, {"http.request.method": method}, SpanKind.SERVER) as begun, _logged():
            yield begun
    finally:
        contexts.detach(token)


def past_span(
    name: str,
    start_ns: int,
    end_ns: int,
    attributes: Attributes,
    *,
    within: Context | None = None,
    kind: SpanKind = SpanKind.INTERNAL,
    error: str | None = None,
) -> Context:
    """Make a span of work that has ended already (Unix time in ns); return the context for its inner spans.

    Steps and model calls are reported when their rows are stored: every row has a span, and fenced work has none.
    """
    tracer = _state.tracer
    if tracer is None:
        return within or contexts.get_current()
    made: Span = tracer.start_span(name, context=within, kind=kind, attributes=attributes, start_time=start_ns)
    if error is not None:
        fail(made, error)
    made.end(end_ns)
    return trace.set_span_in_context(made, within)


def fail(failed: Span, error_type: str) -> None:
    failed.set_attribute("error.type", error_type)
    failed.set_status(Status(StatusCode.ERROR))


@contextmanager
def _logged() -> Generator[None]:
    current = trace.get_current_span().get_span_context()
    if not current.is_valid:
        yield
        return
    with structlog.contextvars.bound_contextvars(trace_id=f"{current.trace_id:032x}"):
        yield


def _read(parent: str | None) -> SpanContext | None:
    if parent is None:
        return None
    context = trace.get_current_span(_W3C.extract({"traceparent": parent}, Context())).get_span_context()
    return context if context.is_valid else None


def _own(row_id: uuid.UUID) -> SpanContext:
    # Samplers use the low half of a number, which in a UUID has constant bits: any rate below a half would sample none,
    # and any above three quarters all.
    drawn = int.from_bytes(sha256(row_id.bytes).digest()[:16])
    sampled = _state.provider.sampler.should_sample(Context(), drawn, "citewell").decision.is_sampled()
    flags = TraceFlags(TraceFlags.SAMPLED if sampled else TraceFlags.DEFAULT)
    return SpanContext(row_id.int, row_id.int & (2**64 - 1), is_remote=True, trace_flags=flags)
