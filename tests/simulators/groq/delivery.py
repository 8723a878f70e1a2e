"""Delivers answers to the caller, or fails to do so in various ways."""

import asyncio
import json
import socket
import struct
from contextlib import suppress
from typing import Any

from aiohttp import web

from tests.simulators.groq import errors
from tests.simulators.groq.faults import UNBILLED, FaultKind
from tests.simulators.groq.provider import Prepared
from tests.simulators.groq.wire import event

FOR_EVER_S = 3_600.0
_HUGE_BYTES = 10_000_000
_BLANKS = b" " * 100_000
_HTML = "<html><head><title>502 Bad Gateway</title></head><body>cloudflare</body></html>"


def proxy_page(prepared: Prepared) -> web.Response | None:
    """The HTML page of a proxy that did not forward the call, if that is the fault."""
    if prepared.fault and prepared.fault.kind in UNBILLED:
        return web.Response(text=_HTML, status=UNBILLED[prepared.fault.kind], content_type="text/html")
    return None


async def open_stream(request: web.Request, headers: dict[str, str]) -> web.StreamResponse:
    """Begin a stream of server-sent events."""
    response = web.StreamResponse(headers=headers | {"content-type": "text/event-stream", "cache-control": "no-cache"})
    await response.prepare(request)
    return response


async def whole(request: web.Request, prepared: Prepared, headers: dict[str, str]) -> web.StreamResponse:
    """Send an answer that is not streamed."""
    body = prepared.answer.completion()
    if prepared.spoilt_by(FaultKind.NO_CHOICES):
        del body["choices"]
    if prepared.spoilt_by(FaultKind.STREAM_ERROR, FaultKind.ERROR_EVENT):
        body["choices"] = []
        body["x_groq"]["error"] = "over_capacity"
    raw = json.dumps(told(prepared, body), ensure_ascii=False).encode()
    if prepared.spoilt_by(FaultKind.HUGE, FaultKind.ENDLESS):
        response = web.StreamResponse(headers=headers | {"content-type": "application/json"})
        await response.prepare(request)
        await response.write(raw)
        await pad(response, prepared)
        return response
    if prepared.spoilt_by(FaultKind.BAD_JSON):
        raw = raw[: len(raw) // 2]
    if prepared.spoilt_by(FaultKind.RESET, FaultKind.CUT):
        response = web.StreamResponse(headers=headers | {"content-type": "application/json"})
        response.content_length = len(raw)
        await response.prepare(request)
        await response.write(raw[: len(raw) // 2])
        _hang_up(request, rudely=prepared.spoilt_by(FaultKind.RESET))
        return response
    return web.Response(body=raw, content_type="application/json", headers=headers)


async def broken(request: web.Request, response: web.StreamResponse, prepared: Prepared) -> bool:
    """Spoil the middle of a stream; True when nothing follows."""
    if prepared.spoilt_by(FaultKind.RESET):
        _hang_up(request, rudely=True)
    elif prepared.spoilt_by(FaultKind.BAD_JSON):
        await response.write(b'data: {"id": "chatcmpl\n\n')
    elif prepared.spoilt_by(FaultKind.STREAM_ERROR):
        await response.write(event(prepared.answer.stopped_chunk()))
    elif prepared.spoilt_by(FaultKind.ERROR_EVENT):
        await response.write(event(errors.internal().body()))
    elif prepared.spoilt_by(FaultKind.NO_CHOICES):
        await response.write(event({"object": "chat.completion.chunk"}))
    return prepared.spoilt_by(
        FaultKind.RESET,
        FaultKind.CUT,
        FaultKind.BAD_JSON,
        FaultKind.STREAM_ERROR,
        FaultKind.ERROR_EVENT,
        FaultKind.NO_CHOICES,
    )


async def drip(request: web.Request, prepared: Prepared, headers: dict[str, str]) -> web.StreamResponse:
    """Send blanks, with which both JSON and an event stream may begin, so that no read timeout ever fires."""
    if prepared.call.request.stream:
        response = await open_stream(request, headers)
    else:
        response = web.StreamResponse(headers=headers | {"content-type": "application/json"})
        await response.prepare(request)
    pause_s = prepared.fault.pause_s if prepared.fault else 1.0
    for _ in range(int(FOR_EVER_S / pause_s)):
        await response.write(b"\n")
        await asyncio.sleep(pause_s)
    return response


def told(prepared: Prepared, body: dict[str, Any]) -> dict[str, Any]:
    """The body or chunk with another usage, if that is the fault."""
    if prepared.fault is None or not prepared.spoilt_by(FaultKind.TELLING) or prepared.fault.headers:
        return body
    usage = {"usage": prepared.fault.usage}
    inner: dict[str, Any] = body.get("x_groq") or {}
    return body | (usage if "usage" in body else {}) | ({"x_groq": inner | usage} if "usage" in inner else {})


async def pad(response: web.StreamResponse, prepared: Prepared) -> None:
    """Send blanks after a reply: 10 MB of them, or endlessly."""
    sent = 0
    # A client that has read enough hangs up.
    with suppress(ConnectionResetError):
        while prepared.spoilt_by(FaultKind.ENDLESS) or sent < _HUGE_BYTES:
            await response.write(_BLANKS)
            sent += len(_BLANKS)


def _hang_up(request: web.Request, *, rudely: bool) -> None:
    transport = request.transport
    if transport is None:
        return
    if rudely:
        # No linger: the kernel sends RST instead of FIN.
        peer: socket.socket = transport.get_extra_info("socket")
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    else:
        transport.close()
