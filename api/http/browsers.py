"""What browsers may do: which pages' requests count, other origins (CORS), and the security headers of every response.

A browser sends what a foreign page asks it to send, also to this machine: a form needs no permission, and a name of the
page's own may resolve to 127.0.0.1. The browser states the origin: in Origin, which no script can set, and in
Sec-Fetch-Site.

Pages of other origins never act with a person's cookie: they send a key. What needs none on this machine stays closed
to them.

The page at / has its own policy, which lets its files run. The pages at /docs and /redoc come from a library: only
scripts contained in the page as sent may run, allowed by their hash.
"""

import base64
import hashlib
import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# What a page may send anywhere without a preflight request (the Fetch standard's safelist); "" is a body without a
# type.
_UNASKED_TYPES = frozenset({"", "multipart/form-data", "text/plain", "application/x-www-form-urlencoded"})
_UNASKED_METHODS = frozenset({"GET", "HEAD", "POST"})
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
# `none` is the person at the address bar, for whom a browser only reads.
_OWN, _NOBODY = "same-origin", "none"
# Every browser begins its User-Agent like this, even one too old to state an origin; no page can change it.
_BROWSER = "mozilla/"


def is_a_foreign_pages(scope: Scope) -> bool:
    """Whether a page from elsewhere may have made a browser send this request.

    The page's own address is the request's Host with its port: another port is another program.
    """
    sent = Headers(scope=scope)
    origins = sent.getlist("origin")
    if origins:
        own = f"{scope['scheme']}://{sent.get('host', '')}"
        return [origin.lower() for origin in origins] != [own.lower()]
    site = sent.get("sec-fetch-site")
    if scope["method"] in _READING:
        return site not in (None, _OWN, _NOBODY)
    if site is not None:
        return site != _OWN
    media_type = sent.get("content-type", "").partition(";")[0].strip().lower()
    goes_unasked = scope["method"] in _UNASKED_METHODS and media_type in _UNASKED_TYPES
    return goes_unasked and sent.get("user-agent", "").lower().startswith(_BROWSER)


_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_SENT = (
    "Authorization",
    "Citewell-Conversation",
    "Citewell-Priority",
    "Content-Type",
    "Idempotency-Key",
    "If-None-Match",
    "Last-Event-ID",
    "Traceparent",
    "X-API-Key",
)
_SHOWN = (
    "Content-Disposition",
    "ETag",
    "Idempotent-Replayed",
    "Location",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "X-Request-ID",
)
_REMEMBERED_S = 600


class OtherOrigins(CORSMiddleware):
    """Answers preflight requests, and tells the browser which page may read a response, errors included."""

    def __init__(self, app: ASGIApp, origins: tuple[str, ...]) -> None:
        super().__init__(
            app,
            allow_origins=origins,
            allow_methods=_METHODS,
            allow_headers=_SENT,
            expose_headers=_SHOWN,
            max_age=_REMEMBERED_S,
        )


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
            # No browser may keep what a signed-in person sees: others may use the same machine. The header is set here
            # because many responses set headers of their own.
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
