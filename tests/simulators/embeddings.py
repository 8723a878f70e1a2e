"""A server that speaks OpenAI's `/v1/embeddings`; a vector counts the words of its text."""

import json
import time
import zlib
from collections import deque
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

from config.models import EmbeddingModel
from tests.simulators.running import HttpServer

KEY = "sk-embed"


class EmbeddingServer(HttpServer):
    """Runs in its own thread. A model `name-16` makes vectors of 16 components, unless `dimensions` are requested.

    `refuses` says which texts are answered with a status and a body instead; `rewrites` changes the rows of a reply;
    `pause_s` passes before each answer; `fail(status, …)` adds an answer that is given first, once; `requests` are the
    bodies answered with vectors.
    """

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.pause_s = 0.0
        self.asked: list[list[str]] = []
        self.refuses: Callable[[list[str]], tuple[int, bytes] | None] = lambda _: None
        self.rewrites: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = lambda rows: rows
        self.failures: deque[tuple[int, dict[str, str], bytes]] = deque()
        super().__init__(type("Handler", (_Handler,), {"owner": self}))

    @property
    def base_url(self) -> str:
        return f"{self.origin}/v1"

    @property
    def texts(self) -> list[str]:
        """All texts that vectors were made of, in order."""
        return [text for request in self.requests for text in request["input"]]

    def model(self, name: str, **over: Any) -> EmbeddingModel:
        """The settings of one of its models."""
        values = {"provider": "openai_compatible", "model": name, "base_url": self.base_url, "api_key": KEY}
        return EmbeddingModel.model_validate({**values, **over})

    def fail(self, status: int, body: bytes = b"{}", **headers: str) -> None:
        """Answer the next request with this failure."""
        self.failures.append((status, headers, body))


class _Handler(BaseHTTPRequestHandler):
    owner: ClassVar[EmbeddingServer]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path != "/v1/embeddings" or self.headers["authorization"] != f"Bearer {KEY}":
            self._answer(401, {}, b'{"error": {"message": "Incorrect API key"}}')
        elif self.owner.failures:
            self._answer(*self.owner.failures.popleft())
        elif refused := self.owner.refuses(body["input"]):
            self.owner.asked.append(body["input"])
            self._answer(refused[0], {"retry-after": "0"}, refused[1])
        else:
            self.owner.asked.append(body["input"])
            time.sleep(self.owner.pause_s)
            self.owner.requests.append(body)
            dimension = body.get("dimensions") or int(body["model"].rpartition("-")[2])
            data = [
                {"object": "embedding", "index": index, "embedding": vector_of(text, dimension)}
                for index, text in enumerate(body["input"])
            ]
            self._answer(
                200,
                {},
                json.dumps(
                    {"object": "list", "data": self.owner.rewrites(data[::-1]), "model": body["model"]}
                ).encode(),
            )

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(body))}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def vector_of(text: str, dimension: int) -> list[float]:
    """Twice the unit length: normalising is the client's job."""
    vector = [0.1] * dimension
    for word in text.lower().split():
        vector[zlib.crc32(word.encode()) % dimension] += 1
    length = sum(value * value for value in vector) ** 0.5
    return [2 * value / length for value in vector]
