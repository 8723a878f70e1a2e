"""HTTP connections with time limits: a request that does not arrive in time is answered with 408 (A8).

Uvicorn has no such limit: half a request would hold its connection and its file descriptor until the client closes it.
Nor does uvicorn refuse a request whose end is ambiguous: what one reader takes for its body, another reader answers as
the next request (request smuggling, RFC 9112 6.1 and 6.3). Here such a request gets a 400, and its connection ends.
`uvicorn --http api.patience:PatientProtocol` uses this module.
"""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import h11
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from api.http.browsers import HEADERS
from api.http.errors import problem

HEAD_S = 10.0
"""The time for the head of a request to arrive."""
BODY_S, BODY_BYTES_PER_S = 10.0, 1_000
"""The interval over which the speed of a body is measured, and its minimum."""
IDLE_S = 75
"""How long a connection stays open between requests: longer than clients and proxies keep theirs open. If the server
closed first, a request could meet the closing connection and be lost without an answer."""
_LATE_HEAD = "The head of the request did not arrive within {} seconds."
_LATE_BODY = "The body of the request arrived too slowly: fewer than {:,} bytes per second over {} seconds."
_TWO_ENDS = "The request has both a Content-Length and a Transfer-Encoding; send only one of them."
_OLD_CODING = "HTTP/1.0 knows no Transfer-Encoding. Send a Content-Length, or use HTTP/1.1."
_ANSWERABLE = frozenset({h11.IDLE, h11.SEND_RESPONSE})


class PatientProtocol(H11Protocol):
    """One connection. The head of a request must arrive whole within a time limit; its body must keep arriving as long
    as it is read."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.app = _refusing_two_ends(self.app)
        self.timeout_keep_alive = IDLE_S
        self.timer: asyncio.TimerHandle | None = None
        self.awaited: Any = None  # the client's state that the timer limits
        self.arrived = 0  # since the timer was set, in bytes

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - as uvicorn does
        super().connection_made(transport)
        self._await(h11.IDLE, HEAD_S, self._end_late_head)

    def data_received(self, data: bytes) -> None:
        self.arrived += len(data)
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        # A client may send its next request before it has the answer; the data that arrived meanwhile is processed now.
        super().on_response_complete()
        if not self.transport.is_closing():
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        self._refuse(HTTPStatus.BAD_REQUEST, "bad_request", msg)

    def _watch(self) -> None:
        state = self.conn.their_state
        if state is self.awaited:
            return
        if state is h11.SEND_BODY:
            self._await(state, BODY_S, self._end_late_body)
        elif state is h11.IDLE and self.conn.trailing_data[0]:
            self._await(state, HEAD_S, self._end_late_head)
        else:
            # The request is complete. Between requests uvicorn itself closes idle connections.
            self._stop_waiting()

    def _await(self, state: object, seconds: float, end: Callable[[], None]) -> None:
        self._stop_waiting()
        self.awaited, self.arrived = state, 0
        self.timer = self.loop.call_later(seconds, end)

    def _stop_waiting(self) -> None:
        self.awaited = None
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def _end_late_head(self) -> None:
        if self.conn.trailing_data[0]:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "request_timeout", _LATE_HEAD.format(HEAD_S))
        else:
            # Browsers open connections before they need them, and would take an answer now for that of their next
            # request.
            self.transport.close()

    def _end_late_body(self) -> None:
        # The client waits for the server while the server does not read, or has not sent "100 Continue" yet; it is not
        # late then.
        waits_for_us = self.flow.read_paused or self.cycle.waiting_for_100_continue
        within, least = BODY_S, BODY_BYTES_PER_S
        if waits_for_us or self.arrived >= least * within:
            self._await(h11.SEND_BODY, within, self._end_late_body)
        else:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "request_timeout", _LATE_BODY.format(least, within))

    def _refuse(self, status: HTTPStatus, code: str, detail: str) -> None:
        self._stop_waiting()
        if self.conn.our_state in _ANSWERABLE:
            # Until its head is complete, the scope is that of the previous request.
            known = self.conn.our_state is h11.SEND_RESPONSE and self.scope
            method, path = (self.scope["method"], self.scope["path"]) if known else ("", "/")
            answer = problem(path, status, code, detail, headers={**HEADERS, "Connection": "close"})
            head = h11.Response(status_code=status, headers=answer.raw_headers, reason=status.phrase.encode())
            body = b"" if method == "HEAD" else bytes(answer.body)
            for event in (head, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        if self.cycle:
            # A handler that still reads the body gets a disconnect; its response is discarded.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()


def _refusing_two_ends(app: ASGIApp) -> ASGIApp:
    """Return the application behind a check of how a request marks its end; `Connection: close` makes uvicorn end the
    connection."""

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        if detail := _unclear_end(scope):
            headers = {**HEADERS, "Connection": "close"}
            answer = problem(scope["path"], HTTPStatus.BAD_REQUEST, "bad_request", detail, headers=headers)
            await answer(scope, receive, send)
        else:
            await app(scope, receive, send)

    return checked


def _unclear_end(scope: Scope) -> str | None:
    # h11 has already refused what it cannot read: codings other than "chunked", repeated headers, two lengths.
    names = {name for name, _ in scope.get("headers", ())}
    if b"transfer-encoding" not in names:
        return None
    if b"content-length" in names:
        return _TWO_ENDS
    return _OLD_CODING if scope["http_version"] < "1.1" else None
