"""How simulated servers run: on a free port of 127.0.0.1, in threads of their own, during a `with` block."""

import asyncio
import socketserver
import threading
from abc import abstractmethod
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.waiting import meanwhile


@contextmanager
def serving(server: socketserver.BaseServer) -> Generator[None]:
    """Serve requests during the block, then close the server."""
    with server, meanwhile(lambda: server.serve_forever(0.01)):
        try:
            yield
        finally:
            server.shutdown()


class HttpServer:
    """A server of the standard library."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._serving = serving(self._server)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._serving.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._serving.__exit__(*error)


class AsyncServer:
    """A server on an event loop of its own."""

    def __init__(self, name: str) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name=name, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(timeout=60), f"{self._thread.name} did not start"
        return self

    def __exit__(self, *_: object) -> None:
        if self._loop:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(timeout=10)

    async def _serve_until_stopped(self) -> None:
        """Say that it accepts connections, and return when it is to stop."""
        self._loop = asyncio.get_running_loop()
        self._ready.set()
        await self._stop.wait()

    @abstractmethod
    async def _serve(self) -> None:
        """Listen, wait in `_serve_until_stopped`, and clean up."""
