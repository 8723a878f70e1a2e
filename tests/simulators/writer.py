"""A server of chat completions that says what the request tells it to: the model behind the guard's proxy.

`say` in a request is the answer, or a list of them; `fault` is how the server fails; `pause_s` lies between words.
"""

import json
import re
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any, cast

from tests.simulators.running import HttpServer

_HEAD = {"id": "chatcmpl-1", "created": 1, "model": "writer"}
USAGE = {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}


class Writer(HttpServer):
    """Use it as a context; `asked` are the bodies that have come, `sent_at` the times of words."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.asked: list[dict[str, Any]] = []
        self.sent_at: list[tuple[str, float]] = []
        _Handler.writer = self


class _Handler(BaseHTTPRequestHandler):
    writer: Writer

    def log_message(self, format: str, *args: Any) -> None: ...

    def do_GET(self) -> None:
        self._whole({"object": "list", "data": [{"id": "writer"}]}, 200)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.writer.asked.append(body)
        said, fault = body.get("say", "A receipt is required."), body.get("fault")
        if isinstance(fault, int):
            self._whole({"error": {"message": "slow down", "type": "x"}}, fault)
        elif fault == "html":
            self._whole("<html>no model here</html>", 200)
        elif body.get("stream"):
            with suppress(ConnectionError):  # the client may have gone
                self._stream(said, body, fault)
        else:
            texts = cast("list[Any]", said) if isinstance(said, list) else [said]
            self._whole({**_HEAD, "object": "chat.completion", "choices": [*map(_choice, texts)], "usage": USAGE}, 200)

    def _whole(self, value: Any, status: int) -> None:
        data = (value if isinstance(value, str) else json.dumps(value)).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, said: Any, body: dict[str, Any], fault: Any) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        deltas: list[dict[str, Any]] = (
            [{"tool_calls": said}] if isinstance(said, list) else [{"content": w} for w in re.findall(r"\s*\S+", said)]
        )
        for place, delta in enumerate(deltas):
            time.sleep(body.get("pause_s", 0))
            if fault == "cut" and place == len(deltas) - 2:
                return
            if fault == "silent" and place == 2:
                time.sleep(3)
            self._event(
                {"index": 0, "delta": {"reasoning_content": "The moon is cheese.", **delta}, "finish_reason": None}
            )
            self.writer.sent_at.append((str(delta.get("content", "")), time.time()))
        self._event({"index": 0, "delta": {}, "finish_reason": body.get("finish", "stop")})
        self._send({**_HEAD, "object": "chat.completion.chunk", "choices": [], "usage": USAGE})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, choice: dict[str, Any]) -> None:
        self._send({**_HEAD, "object": "chat.completion.chunk", "choices": [choice]})

    def _send(self, value: Any) -> None:
        self.wfile.write(b"data: " + json.dumps(value).encode() + b"\n\n")
        self.wfile.flush()


def _choice(text: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text, "reasoning_content": "The moon is cheese."}
    if isinstance(text, dict):
        message = {"role": "assistant", "content": None, "tool_calls": [text]}
    return {
        "index": 0,
        "message": message,
        "logprobs": {"content": [{"token": "cheese", "logprob": -0.1, "top_logprobs": []}]},
        "finish_reason": "stop",
    }
