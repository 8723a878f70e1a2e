"""A small server of chat completions that differs from the usual one in what it counts, keeps, refuses and serves."""

import json
import select
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.simulators.groq import mind
from tests.simulators.groq.calls import Call, ChatRequest
from tests.simulators.groq.catalogue import ModelSpec
from tests.simulators.running import HttpServer

NAME = "peculiar"
_LOOK_S = 0.05


@dataclass
class Ways:
    """How it behaves: `counts` turns the true tokens of a prompt into the reported ones, and `cut_at` cuts prompts.

    `refuses` are the statuses of its first completions; `seconds` is the time of a call, `slots` how many it serves at
    once. `says` changes an answer or a judgement. `thinks` are the tokens of hidden thoughts before each reply, which
    count as part of it; a request for more than it `takes`, prompt and reply together, is refused.
    """

    counts: Callable[[int], int] = lambda tokens: tokens
    cut_at: int | None = None
    refuses: list[int] = field(default_factory=list[int])
    seconds: float = 0.0
    slots: int = 100
    lists_models: bool = True
    knows: dict[str, Any] = field(default_factory=dict[str, Any])
    keeps_schema: bool = True
    says: Callable[[str], str] = lambda text: text
    thinks: int = 0
    takes: int | None = None
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


class Peculiar(HttpServer):
    """Answers under `/v1`, and under the paths of `knows`."""

    def __init__(self, ways: Ways) -> None:
        super().__init__(type("Handler", (_Handler,), {"ways": ways, "free": threading.Semaphore(ways.slots)}))

    @property
    def address(self) -> str:
        return f"{self.origin}/v1"


class _Handler(BaseHTTPRequestHandler):
    ways: Ways
    free: threading.Semaphore

    def do_GET(self) -> None:
        if self.path in self.ways.knows:
            self._send(200, self.ways.knows[self.path])
        elif self.path == "/v1/models" and self.ways.lists_models:
            self._send(200, {"data": [{"id": NAME}]})
        else:
            self._send(404, {"error": {"message": "not found"}})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.ways.asked.append(body)
        if self.ways.refuses:
            self._send(self.ways.refuses.pop(0), {"error": {"message": "try later"}})
            return
        while not self.free.acquire(timeout=_LOOK_S):
            if self._is_left():
                return
        try:
            time.sleep(self.ways.seconds)
        finally:
            self.free.release()
        wanted = body.get("response_format", {"type": "text"})
        if wanted["type"] == "json_schema" and not self.ways.keeps_schema:
            wanted = {"type": "json_object"}
        messages = body["messages"]
        tokens = sum(-(-len(message["content"].encode()) // 4) for message in messages)
        if self.ways.cut_at is not None and tokens > self.ways.cut_at:
            tokens = self.ways.cut_at
        if self.ways.takes is not None and tokens + body["max_tokens"] > self.ways.takes:
            said = f"This model's maximum context length is {self.ways.takes} tokens; you asked for more."
            self._send(400, {"object": "error", "message": said, "type": "BadRequestError", "code": 400})
            return
        if self.ways.thinks >= body["max_tokens"]:
            usage = {"prompt_tokens": self.ways.counts(tokens), "completion_tokens": body["max_tokens"]}
            message = {"content": "", "reasoning_content": "Hm, let me see. "}
            self._send(200, {"choices": [{"message": message, "finish_reason": "length"}], "usage": usage})
            return
        request = ChatRequest.model_validate({"model": NAME, "messages": messages, "response_format": wanted})
        text = self.ways.says(mind.think(Call(request, ModelSpec("x", json_schema=True), tokens)))
        usage = {"prompt_tokens": self.ways.counts(tokens), "completion_tokens": 5 + self.ways.thinks}
        if not body.get("stream"):
            self._send(200, {"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": usage})
            return
        last = {"choices": [{"delta": {"content": text}, "finish_reason": "stop"}], "usage": usage}
        self._reply(200, "text/event-stream", f"data: {json.dumps(last)}\n\ndata: [DONE]\n\n".encode())

    def _is_left(self) -> bool:
        # Like other servers it does no work for a client that has gone.
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""

    def _send(self, status: int, told: object) -> None:
        self._reply(status, "application/json", json.dumps(told).encode())

    def _reply(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
