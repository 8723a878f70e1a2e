"""Middleware for every request: an id, a log line, metrics and a span, a response to unexpected errors, a limit on
bodies."""

import time
import traceback
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

import structlog
from opentelemetry.trace import Span
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.browsers import SESSION, cookie_name
from api.http.errors import code_of, problem
from api.http.security import keys_mode
from clients.telemetry import meter
from clients.telemetry.meter import METER
from clients.telemetry.tracing import fail, request_span
from config.settings import settings
from domain.errors.access import KeyRequired

log = structlog.get_logger("api")

# Monitors request these every few seconds, and a page requests twenty at once when it opens: they matter only for
# debugging.
_PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
_FILES = "/dashboard/"
_SHARED = "/shared/"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_CLIENT_LEFT, _BROKE = 499, 500
_MOST_DISCARDED = 1_000_000


class RequestLog:
    """Give each request an id (`X-Request-ID`) and one log line; answer unexpected errors without internals."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = uuid.uuid4().hex
        with (
            structlog.contextvars.bound_contextvars(request_id=request_id),
            request_span(_method(scope), Headers(scope=scope)) as span,
        ):
            await self._observed(scope, receive, send, _Request(request_id, span))

    async def _observed(self, scope: Scope, receive: Receive, send: Send, request: "_Request") -> None:
        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                request.begins_to_answer(message["status"])
                MutableHeaders(scope=message)["X-Request-ID"] = request.id
            await send(message)

        try:
            await self.app(scope, receive, send_with_id)
        except ClientDisconnect:
            request.status = _CLIENT_LEFT
        except Exception as error:
            # The message stays out of the log: the messages of drivers and validators quote their input, document text
            # included.
            frames = [f"{f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(error.__traceback__)]
            log.error("unexpected_error", error=type(error).__qualname__, frames=frames[-15:])
            if request.status:
                raise
            detail = f"Something went wrong inside Citewell; its log tells more under {request.id}."
            answer = problem(scope["path"], 500, "internal_error", detail, error_id=request.id)
            await answer(scope, receive, send_with_id)
        finally:
            request.ended(scope)


@dataclass(slots=True)
class _Request:
    """The report on one request: its log line, its metrics, its span."""

    id: str
    span: Span
    began: float = field(default_factory=time.perf_counter)
    answered_s: float | None = None
    status: int = 0

    def begins_to_answer(self, status: int) -> None:
        self.status, self.answered_s = status, time.perf_counter() - self.began

    def ended(self, scope: Scope) -> None:
        seconds, status = time.perf_counter() - self.began, self.status or _BROKE
        # The template of the path, not the path itself, because labels of metrics must have few values.
        route = getattr(scope.get("route"), "path_format", None) or "(none)"
        method = _method(scope)
        METER.count(meter.HTTP_REQUESTS, method, route, str(status))
        METER.observe(meter.HTTP_SECONDS, seconds if self.answered_s is None else self.answered_s, method, route)
        self.span.update_name(f"{method} {route}")
        self.span.set_attribute("http.route", route)
        self.span.set_attribute("http.response.status_code", status)
        if status >= _BROKE:
            fail(self.span, str(status))
        # The path of a shared answer is all that is needed to read it, so it is not logged.
        path = route if scope["path"].startswith(_SHARED) else scope["path"]
        line = log.debug if path in _PROBES or path.startswith(_FILES) else log.info
        line("request", method=scope["method"], path=path, status=status, ms=round(seconds * 1000, 1))


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in _METHODS else "OTHER"


class BodyLimit:
    """Refuse a body that is too large before it is in memory: by its declared length, and by counting the bytes that
    arrive.

    `uploads` are limits of single paths, in bytes, and the settings they come from. They apply to requests with a key,
    or where none is needed: a body is read before the key is checked, and a stranger's must not fill the memory.
    """

    def __init__(self, app: ASGIApp, limit: int, uploads: Mapping[str, tuple[int, str]]) -> None:
        self.app = app
        self.limit = limit
        self.uploads = uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit, refusal = self._limit_for(scope)
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > limit:
                raise refusal
            return message

        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isdecimal() and int(declared) > limit:
            await _discard(receive)
            status, detail = refusal.status_code, refusal.detail
            refused = problem(scope["path"], status, code_of(status), detail, headers=refusal.headers)
            await refused(scope, receive, send)
            return
        await self.app(scope, counted, send)

    def _limit_for(self, scope: Scope) -> tuple[int, HTTPException]:
        limit, setting = self.uploads.get(scope["path"], (self.limit, ""))
        sent = Headers(scope=scope)
        has_key = (
            "authorization" in sent or "x-api-key" in sent or cookie_name(SESSION, settings()) in sent.get("cookie", "")
        )
        if limit > self.limit and not has_key and keys_mode(settings()) == "required":
            return self.limit, HTTPException(401, KeyRequired().message, headers={"WWW-Authenticate": "Bearer"})
        detail = f"The request body is larger than the limit of {limit:,} bytes; send less."
        if setting:
            size = f"{limit / 1_000_000:,.1f} MB" if limit > self.limit else f"{limit:,} bytes"
            detail = f"The request body is larger than the limit of {size}; split what you send, or raise {setting}."
        return limit, HTTPException(413, detail)


async def _discard(receive: Receive) -> None:
    # The rest is read so that the client sees the answer: a client that is cut off while it still sends sees a broken
    # connection.
    seen = 0
    while seen < _MOST_DISCARDED:
        message = await receive()
        seen += len(message.get("body", b""))
        if not message.get("more_body"):
            return
