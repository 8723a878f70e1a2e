"""A server that records requests and gives planned answers, for routes that need no database here."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.simulators.running import serving


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    headers: dict[str, str]


@dataclass(frozen=True)
class Asked:
    """One request as received; names of headers are in lower case."""

    method: str
    path: str
    params: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Recorder:
    """The server's address and the requests it got."""

    url: str
    asked: list[Asked] = field(default_factory=list[Asked])


@contextmanager
def recording(*answers: Answer) -> Generator[Recorder]:
    """Answer consecutive requests as planned, repeating the last answer."""
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline()
            if not self.raw_requestline or not self.parse_request():
                self.close_connection = True
                return
            recorder.asked.append(self._asked())
            self._answer(left.pop(0) if len(left) > 1 else left[0])

        def _asked(self) -> Asked:
            target = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(int(headers.get("content-length", 0)))
            return Asked(self.command, target.path, dict(parse_qsl(target.query)), headers, body)

        def _answer(self, answer: Answer) -> None:
            self.send_response_only(answer.status)
            for name, value in {**answer.headers, "content-length": str(len(answer.body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    recorder = Recorder(f"http://127.0.0.1:{server.server_port}")
    with serving(server):
        yield recorder


def told(value: object, status: int = 200, **headers: str) -> Answer:
    """A JSON answer; in names of headers _ replaces -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, json.dumps(value).encode(), {"content-type": "application/json", **named})


def problem(status: int, code: str, **headers: str) -> Answer:
    """A problem response."""
    return told({"status": status, "code": code, "detail": f"it is {code}"}, status, **headers)
