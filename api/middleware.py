"""What surrounds every request: an id, one line in the log, an answer to the unexpected, a limit on the body."""

import time
import traceback
import uuid
from collections.abc import Mapping

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import code_of, problem
from api.security import keys_mode
from config.settings import settings
from domain.errors import KeyRequired

log = structlog.get_logger("api")

# Asked every few seconds by whoever watches us: only of interest when debugging.
_PROBES = frozenset({"/healthz", "/readyz"})
_CLIENT_LEFT = 499
_MOST_DISCARDED = 1_000_000


class RequestLog:
    """Give each request an id (`X-Request-ID`) and one line in the log; answer an unforeseen error without insides."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id, started, status = uuid.uuid4().hex, time.perf_counter(), 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = request_id
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self.app(scope, receive, send_with_id)
            except ClientDisconnect:
                status = _CLIENT_LEFT
            except Exception as error:
                _log_unexpected(error)
                if status:
                    raise
                await _unexpected(scope["path"], request_id)(scope, receive, send_with_id)
            finally:
                _log_request(scope, status, time.perf_counter() - started)


class BodyLimit:
    """Refuse a body that is too large before it is in memory: by its declared length, and by counting what comes.

    `uploads` are limits of single paths, in bytes, where they differ from `limit`. They hold for requests with a key,
    or where none is needed: a body is read before the key is looked at, and a stranger's may not fill the memory.
    """

    def __init__(self, app: ASGIApp, limit: int, uploads: Mapping[str, int]) -> None:
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

        if _declared_length(scope) > limit:
            await _discard(receive)
            status, detail = refusal.status_code, refusal.detail
            told = problem(scope["path"], status, code_of(status), detail, headers=refusal.headers)
            await told(scope, receive, send)
            return
        await self.app(scope, counted, send)

    def _limit_for(self, scope: Scope) -> tuple[int, HTTPException]:
        limit = self.uploads.get(scope["path"], self.limit)
        if limit > self.limit and _lacks_a_key(scope):
            return self.limit, HTTPException(401, KeyRequired().message, headers={"WWW-Authenticate": "Bearer"})
        detail = f"The request body is larger than the limit of {limit:,} bytes; send less."
        return limit, HTTPException(413, detail)


def _lacks_a_key(scope: Scope) -> bool:
    sent = Headers(scope=scope)
    return "authorization" not in sent and "x-api-key" not in sent and keys_mode(settings()) == "required"


def _declared_length(scope: Scope) -> int:
    declared = Headers(scope=scope).get("content-length", "0")
    return int(declared) if declared.isdecimal() else 0


async def _discard(receive: Receive) -> None:
    # A client that is cut off while it still sends sees a broken connection instead of our answer.
    seen = 0
    while seen < _MOST_DISCARDED:
        message = await receive()
        seen += len(message.get("body", b""))
        if not message.get("more_body"):
            return


def _unexpected(path: str, error_id: str) -> ASGIApp:
    detail = f"Something went wrong inside Citewell; its log tells more under {error_id}."
    return problem(path, 500, "internal_error", detail, error_id=error_id)


def _log_unexpected(error: Exception) -> None:
    # Without the message: those of drivers and validators quote what they were given, document text included.
    frames = [f"{f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(error.__traceback__)]
    log.error("unexpected_error", error=type(error).__qualname__, frames=frames[-15:])


def _log_request(scope: Scope, status: int, seconds: float) -> None:
    line = log.debug if scope["path"] in _PROBES else log.info
    line("request", method=scope["method"], path=scope["path"], status=status or 500, ms=round(seconds * 1000, 1))
