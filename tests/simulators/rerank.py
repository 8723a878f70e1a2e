"""A rerank endpoint on a free port of 127.0.0.1: it counts shared words, fails on demand, and records requests."""

import json
import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.simulators.running import HttpServer

_MISSING = "Failed to deserialize the JSON body into the target type: missing field `texts` at line 1 column 99"


@dataclass(frozen=True, slots=True)
class Answer:
    """A response instead of scores; `cut` closes the connection without any."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    cut: bool = False

    @classmethod
    def results(cls, *results: Mapping[str, Any]) -> "Answer":
        """A response with these results, whatever the request."""
        return cls(body=json.dumps({"results": results}).encode())


def shared_words(question: str, text: str) -> float:
    """The share of the question's words that are in the text."""
    wanted, there = (set(re.findall(r"\w+", each.lower())) for each in (question, text))
    return len(wanted & there) / len(wanted)


class RerankServer(HttpServer):
    """Runs inside `with`. `answers` are given first, one per request; `tei` uses the other format."""

    def __init__(self, *answers: Answer, tei: bool = False, slope: float = 1.0, offset: float = 0.0) -> None:
        self.answers = deque(answers)
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.paths: list[str] = []
        self._tei, self._slope, self._offset = tei, slope, offset
        super().__init__(self._handler())

    @property
    def url(self) -> str:
        """The address before `/rerank`."""
        return f"{self.origin}/v1"

    def _answer(self, body: dict[str, Any]) -> Answer:
        if self.answers:
            return self.answers.popleft()
        texts: Sequence[str] | None = body.get("texts" if self._tei else "documents")
        if texts is None:
            return Answer(422, _MISSING.encode())
        scores = [self._slope * shared_words(body["query"], text) + self._offset for text in texts]
        best_first = sorted(enumerate(scores), key=lambda each: -each[1])
        if self._tei:
            return Answer(body=json.dumps([{"index": at, "score": score} for at, score in best_first]).encode())
        return Answer.results(*({"index": at, "relevance_score": score} for at, score in best_first))

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.bodies.append(body)
                outer.keys.append(self.headers["Authorization"])
                outer.paths.append(self.path)
                answer = outer._answer(body)
                if answer.cut:
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, value in {**answer.headers, "Content-Length": str(len(answer.body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, format: str, *args: object) -> None: ...

        return Handler
