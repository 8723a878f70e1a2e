"""A collector: accepts OTLP over HTTP, and keeps the spans and the event records."""

import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from tests.simulators.running import HttpServer

Value = str | int | float | bool | list[str]


class Seen(NamedTuple):
    """A span; ids are hex, `parent` is empty for a root. `process` is the kind of process that made it."""

    name: str
    trace_id: str
    span_id: str
    parent: str
    attributes: dict[str, Value]
    process: str
    start_ns: int
    end_ns: int
    failed: bool


class SeenEvent(NamedTuple):
    """An event record; `span_id` is that of the span that it belongs to."""

    name: str
    span_id: str
    attributes: dict[str, Value]


class Collector(HttpServer):
    """A server on a free port of 127.0.0.1, for the length of a `with` block."""

    def __init__(self) -> None:
        self.raw: list[bytes] = []
        self.raw_logs: list[bytes] = []
        self._lock = threading.Lock()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                is_logs = self.path == "/v1/logs"
                with collector._lock:
                    (collector.raw_logs if is_logs else collector.raw).append(body)
                made = ExportLogsServiceResponse() if is_logs else ExportTraceServiceResponse()
                answer = made.SerializeToString()
                self.send_response(200)
                self.send_header("content-type", "application/x-protobuf")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: Any) -> None:
                """Print nothing."""

        super().__init__(Handler)

    def spans(self, trace_id: str | None = None) -> list[Seen]:
        """All spans received, or those of one trace."""
        with self._lock:
            found = [each for body in self.raw for each in _read(body)]
        return [each for each in found if trace_id in (None, each.trace_id)]

    def events(self, trace_id: str) -> list[SeenEvent]:
        """The event records of one trace."""
        with self._lock:
            requests: list[Any] = [ExportLogsServiceRequest.FromString(body) for body in self.raw_logs]
        records = [
            record
            for request in requests
            for of in request.resource_logs
            for scope in of.scope_logs
            for record in scope.log_records
        ]
        return [
            SeenEvent(
                record.event_name, record.span_id.hex(), {each.key: _value(each.value) for each in record.attributes}
            )
            for record in records
            if record.trace_id.hex() == trace_id
        ]


def _read(body: bytes) -> Sequence[Seen]:
    request: Any = ExportTraceServiceRequest.FromString(body)
    return [
        Seen(
            span.name,
            span.trace_id.hex(),
            span.span_id.hex(),
            span.parent_span_id.hex(),
            {each.key: _value(each.value) for each in span.attributes},
            str({each.key: _value(each.value) for each in of.resource.attributes}.get("citewell.process", "")),
            span.start_time_unix_nano,
            span.end_time_unix_nano,
            span.status.code == 2,
        )
        for of in request.resource_spans
        for scope in of.scope_spans
        for span in scope.spans
    ]


def _value(value: Any) -> Value:
    which = value.WhichOneof("value")
    if which == "array_value":
        return [str(_value(each)) for each in value.array_value.values]
    return getattr(value, which)
