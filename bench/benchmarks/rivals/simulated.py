"""`python -m benchmarks.rivals.simulated`: the models that all systems ask, as a process of its own.

The fast model takes 0.15 s and a second per 800 tokens of its reply, the main one 0.25 s and a second per 500. It has
no limits and makes no mistakes but the planted one. `/__ledger` tells of every call, `/__reset` forgets them.
"""

import argparse
import asyncio
import hashlib
import json
import time
from dataclasses import asdict, dataclass, field
from typing import Any

from aiohttp import web

from benchmarks.rivals.replies import prompt_tokens, reply_to
from tests.simulators.groq.calls import count_tokens

FAST, MAIN = "openai/gpt-oss-20b", "openai/gpt-oss-120b"
_PACES = {FAST: (0.15, 800.0), MAIN: (0.25, 500.0)}
_TOKENS_PER_EVENT = 3


@dataclass(slots=True)
class ModelCall:
    """One call: when it arrived (`time.monotonic`) and how long its reply takes, from the first to the last byte."""

    model: str
    streamed: bool
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    arrived: float = field(default_factory=time.monotonic)


@dataclass(slots=True)
class Models:
    """Answers chat completions. A reply to the same question is computed once, so that computing costs next to
    nothing."""

    calls: list[ModelCall] = field(default_factory=list[ModelCall])
    _known: dict[bytes, tuple[str, int]] = field(default_factory=dict[bytes, tuple[str, int]])

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """Answer at the pace of the model; a caller that has disconnected needs no answer."""
        try:
            return await self._answered(request)
        except ConnectionResetError:
            return web.Response()

    async def _answered(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        text, tokens = self._thought(body)
        wait, pace = _PACES[body["model"]]
        written = count_tokens(text)
        streamed = bool(body.get("stream"))
        self.calls.append(ModelCall(body["model"], streamed, tokens, written, wait + written / pace))
        await asyncio.sleep(wait)
        usage = {"prompt_tokens": tokens, "completion_tokens": written, "total_tokens": tokens + written}
        if streamed:
            return await _streamed(request, body, text, pace, usage)
        await asyncio.sleep(written / pace)
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return web.json_response(_frame(body, "chat.completion") | {"choices": [choice], "usage": usage})

    async def ledger(self, _: web.Request) -> web.Response:
        """All calls since the last reset."""
        return web.json_response([asdict(call) for call in self.calls])

    async def reset(self, _: web.Request) -> web.Response:
        self.calls.clear()
        return web.json_response({})

    def _thought(self, body: dict[str, Any]) -> tuple[str, int]:
        digest = hashlib.sha256(repr((body["messages"], body.get("response_format"))).encode()).digest()
        if digest not in self._known:
            self._known[digest] = reply_to(body), prompt_tokens(body)
        return self._known[digest]


async def _streamed(
    request: web.Request, body: dict[str, Any], text: str, pace: float, usage: dict[str, int]
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    frame, size = _frame(body, "chat.completion.chunk"), 4 * _TOKENS_PER_EVENT
    loop = asyncio.get_running_loop()
    due = loop.time()
    for start in range(0, len(text), size):
        due += _TOKENS_PER_EVENT / pace
        await asyncio.sleep(max(0.0, due - loop.time()))
        choice = {"index": 0, "delta": {"content": text[start : start + size]}, "finish_reason": None}
        await response.write(_event(frame | {"choices": [choice]}))
    ended: dict[str, Any] = {"index": 0, "delta": {}, "finish_reason": "stop"}
    await response.write(_event(frame | {"choices": [ended], "usage": usage, "x_groq": {"usage": usage}}))
    await response.write(b"data: [DONE]\n\n")
    return response


def _frame(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": int(time.time()), "model": body["model"]}


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


async def _serve(port: int) -> None:
    models = Models()
    app = web.Application(client_max_size=64 * 2**20)
    for prefix in ("/openai/v1", "/v1"):  # the path of Groq, and that of most other providers
        app.router.add_post(f"{prefix}/chat/completions", models.chat)
    app.router.add_get("/__ledger", models.ledger)
    app.router.add_post("/__reset", models.reset)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port, backlog=2048).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.Event().wait()


def main() -> None:
    """Serve on --port, print the address, and continue until a signal."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rivals.simulated", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    asyncio.run(_serve(parser.parse_args().port))


if __name__ == "__main__":
    main()
