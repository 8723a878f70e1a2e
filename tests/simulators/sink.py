"""A receiver of webhooks on a free port of 127.0.0.1: it records requests and gives planned answers."""

import asyncio
import itertools
import ssl
import time
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, auto
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import web

from tests.simulators.running import AsyncServer

CERTIFICATE = Path(__file__).with_name("sink.pem")
HOST = "hooks.test"
"""The name in the certificate."""

_FOR_EVER_S = 3_600.0
_DRIP_S = 1.0
_HEAD = b"HTTP/1.1 200 OK\r\nx-slow: "


class Manner(StrEnum):
    """How a response is sent."""

    WHOLE = auto()
    HANG = auto()
    """Nothing is sent, and the connection stays open."""
    CLOSE = auto()
    """Nothing is sent, and the connection is closed."""
    DRIP_HEAD = auto()
    """One byte per second, and an endless head."""
    DRIP = auto()
    """A whole head, then one byte of the body per second."""
    ENDLESS = auto()
    """A whole head, then as much body as the client accepts."""
    CUT = auto()
    """A whole head that promises more body than is sent before the connection is closed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to one request."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    manner: Manner = Manner.WHOLE


@dataclass(frozen=True, slots=True)
class Received:
    """One request; `at` is in Unix seconds, the names of headers are in lower case."""

    at: float
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Sink(AsyncServer):
    """A receiver in its own thread; with `tls` it is HOST, and a client must trust CERTIFICATE.

    `answer(path, *answers)` is a script: each request of the path takes the next answer, and the last one stays.
    Without a script the answer is 200. `connections` counts all accepted ones, with or without a request.
    """

    def __init__(self, *, tls: bool = False) -> None:
        super().__init__("webhook-sink")
        self.requests: list[Received] = []
        self.connections = 0
        self._scripts: defaultdict[str, deque[Answer]] = defaultdict(lambda: deque([Answer()]))
        self._context = _server_context() if tls else None
        self._port = 0

    @property
    def port(self) -> int:
        return self._port

    @property
    def url(self) -> str:
        """The root URL, without a trailing slash."""
        return f"https://{HOST}:{self._port}" if self._context else f"http://127.0.0.1:{self._port}"

    def answer(self, path: str, *answers: Answer) -> str:
        """Plan the answers to requests of `path`; return its URL."""
        self._scripts[path] = deque(answers)
        return self.url + path

    def redirect(self, path: str, target: str, status: int = 307) -> str:
        """Send requests of `path` to the URL or path `target`; return the URL of `path`."""
        return self.answer(path, Answer(status, {"location": target}))

    def received(self, path: str) -> list[Received]:
        return [request for request in list(self.requests) if urlsplit(request.path).path == path]

    async def _serve(self) -> None:
        runner = web.ServerRunner(web.Server(self._handle, access_log=None, handler_cancellation=True))
        await runner.setup()

        def accepted() -> asyncio.Protocol:
            self.connections += 1
            assert runner.server is not None
            return runner.server()

        server = await asyncio.get_running_loop().create_server(accepted, "127.0.0.1", 0, ssl=self._context)
        self._port = server.sockets[0].getsockname()[1]
        try:
            await self._serve_until_stopped()
        finally:
            server.close()
            assert runner.server is not None
            await runner.server.shutdown(timeout=0.1)
            await runner.cleanup()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        body = await request.read()
        self.requests.append(Received(time.time(), request.method, request.path_qs, headers, body))
        script = self._scripts[request.path]
        return await _give(request, script.popleft() if len(script) > 1 else script[0])


async def _give(request: web.BaseRequest, answer: Answer) -> web.StreamResponse:
    match answer.manner:
        case Manner.HANG:
            await asyncio.sleep(_FOR_EVER_S)
        case Manner.CLOSE:
            _hang_up(request)
        case Manner.DRIP_HEAD:
            await _drip_head(request)
        case Manner.DRIP | Manner.ENDLESS | Manner.CUT:
            return await _half(request, answer)
        case Manner.WHOLE:
            pass
    return web.Response(status=answer.status, headers=answer.headers, body=answer.body)


async def _half(request: web.BaseRequest, answer: Answer) -> web.StreamResponse:
    response = web.StreamResponse(status=answer.status, headers=answer.headers)
    if answer.manner is Manner.CUT:
        response.content_length = len(answer.body) + 1
    await response.prepare(request)
    await response.write(answer.body)
    while answer.manner is Manner.DRIP:
        await response.write(b".")
        await asyncio.sleep(_DRIP_S)
    while answer.manner is Manner.ENDLESS:
        await response.write(b"." * 2**14)
    _hang_up(request)
    return response


async def _drip_head(request: web.BaseRequest) -> None:
    transport = request.transport
    for byte in itertools.chain(_HEAD, itertools.repeat(ord("."))):
        if transport is None or transport.is_closing():
            return
        transport.write(bytes([byte]))
        await asyncio.sleep(_DRIP_S)


def _hang_up(request: web.BaseRequest) -> None:
    if request.transport:
        request.transport.close()


def _server_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context
