"""A server of chat completions that answers each request with the bytes that a test prepares."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from aiohttp import web

USAGE = {"prompt_tokens": 7, "completion_tokens": 2}


class QuirkyServer:
    """`whole` and `pieces` answer the next request; its headers are exactly `headers`. `url` is known while it runs."""

    def __init__(self) -> None:
        self.url = ""
        self._pieces: Sequence[bytes] = ()
        self._headers: dict[str, str] = {}
        self._cut, self._status = False, 200
        self.asked: dict[str, Any] = {}
        """The body of the last request, and its headers."""
        self.headers: Mapping[str, str] = {}

    async def __aenter__(self) -> "QuirkyServer":
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._answer)
        app.router.add_post("/v1/messages", self._answer)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    def answers(
        self,
        *pieces: bytes,
        cut: bool = False,
        kind: str | None = "application/json",
        status: int = 200,
        **headers: str,
    ) -> None:
        """Answer with `pieces`; `cut` closes the connection before the end of the body."""
        self._pieces, self._cut, self._status = pieces, cut, status
        given = {} if kind is None else {"content-type": kind}
        self._headers = given | {name.replace("_", "-"): value for name, value in headers.items()}

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.asked, self.headers = await request.json(), request.headers
        response = web.StreamResponse(status=self._status, headers=self._headers)
        await response.prepare(request)
        for piece in self._pieces:
            await response.write(piece)
        if self._cut and request.transport:
            request.transport.close()
        return response


def completion(content: Any, finish: str | None = "stop", **more: Any) -> bytes:
    """A whole completion; `more` belongs to its message, except `usage`."""
    told = {"usage": more.pop("usage", USAGE)}
    message = {"role": "assistant", "content": content, **more}
    return json.dumps({"choices": [{"message": message, "finish_reason": finish}], **told}).encode()


def chunk(delta: Any, finish: str | None = None, **more: Any) -> str:
    """The JSON of a piece of a stream."""
    delta = {"content": delta} if isinstance(delta, str) else delta
    return json.dumps({"choices": [{"delta": delta, "finish_reason": finish}], **more})


def events(*data: str, end: str = "\n") -> bytes:
    """Server-sent events."""
    return "".join(f"data: {text}{end}{end}" for text in data).encode()
