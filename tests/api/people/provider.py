"""A real identity provider in a process of its own, behind a relay that may change what it says.

The provider signs, keeps users and issues codes; the relay holds the client to PKCE, which the provider does not, and
forges tokens.
"""

import base64
import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from tests.waiting import until

Json = dict[str, Any]
_PROVIDER = """
import sys, warnings
warnings.simplefilter("ignore")
import flask
import oidc_provider_mock._app as provider
from werkzeug.serving import make_server
app = provider.app(require_nonce=True)
@app.post("/signed")
def signed():
    key = provider.storage.jwk.as_dict(is_private=True)
    return provider.jose.jwt.encode({"alg": "RS256", "typ": "logout+jwt"}, flask.request.get_json(), key).decode()
server = make_server("127.0.0.1", 0, app, threaded=True)
print(server.server_port, flush=True)
server.serve_forever()
"""


@dataclass
class Provider:
    """`issuer` is the relay's address; `forge` changes the answers of the token endpoint, if it is set."""

    issuer: str
    forge: Callable[[Json], Json] | None = None
    discovery: Json = field(default_factory=dict[str, Any])
    challenges: dict[str, str] = field(default_factory=dict[str, str])
    exchanged: list[Json] = field(default_factory=list[Json])
    ignores: set[str] = field(default_factory=set[str])

    def knows(self, subject: str, **claims: Any) -> None:
        """Have a user with these claims."""
        httpx.put(f"{self.issuer}/users/{subject}", json={"name": subject.title(), **claims}).raise_for_status()

    def signed(self, claims: Json) -> str:
        """A token with the provider's own signature."""
        return httpx.post(f"{self.issuer}/signed", json=claims).raise_for_status().text

    def answers(self, authorization_url: str, subject: str) -> str:
        """The address that the browser is sent back to when `subject` signs in there."""
        answered = httpx.post(authorization_url, data={"sub": subject})
        assert answered.status_code == 302, answered.text
        return answered.headers["location"]


@contextmanager
def running_provider() -> Generator[Provider]:
    process = subprocess.Popen([sys.executable, "-c", _PROVIDER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout
    port = int(process.stdout.readline())
    relay = ThreadingHTTPServer(("127.0.0.1", 0), _Relay)
    provider = Provider(f"http://127.0.0.1:{relay.server_port}")
    _Relay.provider, _Relay.behind = provider, f"http://127.0.0.1:{port}"
    thread = threading.Thread(target=relay.serve_forever, name="relay")
    thread.start()
    try:
        until(lambda: httpx.get(f"{provider.issuer}/jwks").is_success, seconds=30)
        yield provider
    finally:
        relay.shutdown()
        thread.join()
        relay.server_close()
        process.terminate()
        process.wait()
        process.stdout.close()


class _Relay(BaseHTTPRequestHandler):
    provider: Provider
    behind: str

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: these are the tests' own requests."""

    def do_GET(self) -> None:
        self._pass_on()

    def do_POST(self) -> None:
        self._pass_on()

    def do_PUT(self) -> None:
        self._pass_on()

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        at = urlsplit(self.path)
        sent = {
            name: value for name, value in self.headers.items() if name.lower() not in ("connection", "accept-encoding")
        }
        form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        if at.path == "/oauth2/token" and not self._keeps_to_pkce(form):
            return self._answer(400, b'{"error": "invalid_grant"}', {})
        answer = httpx.request(self.command, f"{self.behind}{self.path}", content=body, headers=sent)
        content = answer.content
        if location := answer.headers.get("location"):
            code = parse_qs(urlsplit(str(location)).query).get("code", [""])[0]
            self.provider.challenges[code] = parse_qs(at.query).get("code_challenge", [""])[0]
        if at.path == "/oauth2/token" and answer.is_success:
            self.provider.exchanged.append(form)
            told = answer.json()
            content = json.dumps(self.provider.forge(told) if self.provider.forge else told).encode()
        if at.path.startswith("/.well-known/"):
            content = json.dumps({**answer.json(), **self.provider.discovery}).encode()
        return self._answer(answer.status_code, content, answer.headers)

    def _keeps_to_pkce(self, form: dict[str, str]) -> bool:
        made = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        return self.provider.challenges.get(form.get("code", "")) == made.rstrip(b"=").decode()

    def _answer(self, status: int, content: bytes, headers: Any) -> None:
        self.send_response(status)
        for name in ("content-type", "location"):
            if value := headers.get(name):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
