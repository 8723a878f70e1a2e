"""Security headers for browsers: no framing, no guessing of types, no loading, embedding or passing on.

The page at / has its own policy, which lets its files run. The pages at /docs and /redoc come from a library: only
scripts contained in the page as sent may run, allowed by their hash.
"""

import base64
import hashlib
import re

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",  # for browsers older than frame-ancestors
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_DOCUMENTED = frozenset({"/docs", "/redoc", "/docs/oauth2-redirect"})
_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


class Policies:
    """Add to every response those of `HEADERS` that it does not set itself, and to all of a session `no-store`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        held: list[Message] = []

        async def send_with_policies(message: Message) -> None:
            if message["type"] != "http.response.start":
                for start in held:
                    MutableHeaders(scope=start)["Content-Security-Policy"] = _policy_of_a_library(message["body"])
                    await send(start)
                held.clear()
                await send(message)
                return
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            # What a person sees is kept by no browser: the next one at this machine may be somebody else. It is said
            # here, because many responses are made with headers of their own.
            if scope.get("state", {}).get("keeps_nothing"):
                headers["Cache-Control"] = "no-store"
            if scope["path"] in _DOCUMENTED and message["status"] == 200:
                held.append(message)  # until its body shows which scripts it has
            else:
                await send(message)

        await self.app(scope, receive, send_with_policies)


def _policy_of_a_library(page: bytes) -> str:
    # The page may run its own scripts, have inline styles, and send requests to this server.
    digests = (base64.b64encode(hashlib.sha256(script).digest()).decode() for script in _SCRIPT.findall(page))
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    # Redoc searches in a worker made from a blob; both draw pictures embedded in their scripts.
    return (
        f"{HEADERS['Content-Security-Policy']}; script-src 'self' {hashes}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; worker-src blob:"
    )
