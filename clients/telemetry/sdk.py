"""The OpenTelemetry SDK, an optional extra, imported only when traces are enabled."""

from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


def make_provider(endpoint: str, process: str) -> TracerProvider:
    """A provider that exports spans in batches from a thread. If the collector is away, spans are dropped and nothing
    waits.

    If `endpoint` is empty, the OTEL_… variables name it.
    """
    # The provider's own exit handler would wait for a collector that is down (see tracing.stop_tracing).
    provider = TracerProvider(resource=_resource(process), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces") if endpoint else OTLPSpanExporter()
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def make_event_provider(endpoint: str, process: str) -> LoggerProvider:
    """Like `make_provider`, for events, which are log records with a name."""
    provider = LoggerProvider(resource=_resource(process), shutdown_on_exit=False)
    exporter = OTLPLogExporter(endpoint=f"{endpoint.rstrip('/')}/v1/logs") if endpoint else OTLPLogExporter()
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
    return provider


def _resource(process: str) -> Resource:
    resource = Resource.create({"citewell.process": process})
    if str(resource.attributes[SERVICE_NAME]).startswith("unknown_service"):
        resource = resource.merge(Resource({SERVICE_NAME: "citewell"}))
    return resource
